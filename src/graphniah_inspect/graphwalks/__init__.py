"""OpenAI's GraphWalks (`openai/graphwalks`, MIT): searches and parents in graphs of up to 1M tokens."""
