"""How Inspect's log viewer lists the samples of a run."""

from inspect_ai.viewer import TaskSamplesColumn, TaskSamplesView, ViewerConfig


def sample_list(name: str, *scores: TaskSamplesColumn) -> ViewerConfig:
    """A list of what was asked, expected and answered, with these scores; a sample a line."""
    return ViewerConfig(
        # Prompts are code, books, papers and edges: shown as the text that they are, never rendered.
        trust_content=False,
        task_samples_view=TaskSamplesView(
            name=name,
            columns=[
                TaskSamplesColumn(id="sampleStatus"),
                TaskSamplesColumn(id="sampleId"),
                TaskSamplesColumn(id="epoch", visible=False),
                TaskSamplesColumn(id="input"),
                TaskSamplesColumn(id="target"),
                TaskSamplesColumn(id="answer"),
                *scores,
                TaskSamplesColumn(id="tokens"),
                TaskSamplesColumn(id="duration", visible=False),
                TaskSamplesColumn(id="error"),
            ],
            multiline=False,
        ),
    )
