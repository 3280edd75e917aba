"""An invented world: papers, citations and prose that do not exist, for tests, demonstrations and measurements."""
