"""The machines of a cluster: `tf.train.ClusterSpec`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

#: The addresses of a job's tasks: in their order, or by their numbers.
Tasks: TypeAlias = Sequence[str] | Mapping[int, str] | str


class ClusterSpec:
    """The addresses of the tasks of each job.

    Args:
        cluster: A dict from the names of jobs to lists of addresses, or to dicts from the numbers
            of tasks to addresses; or another spec.

    Raises:
        TypeError: It is something else.

    >>> import graphwright as tf
    >>> spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"]})
    >>> spec.num_tasks("worker"), spec.task_address("worker", 1)
    (2, 'b:2')
    """

    def __init__(self, cluster: ClusterSpec | Mapping[str, Tasks]) -> None:
        if isinstance(cluster, ClusterSpec):
            self._jobs: dict[str, dict[int, str]] = {k: dict(v) for k, v in cluster._jobs.items()}
            return
        if not isinstance(cluster, Mapping):
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network "
                f"addresses, or a `ClusterSpec`: {cluster!r}"
            )
        self._jobs = {}
        for job, tasks in cluster.items():
            if isinstance(tasks, str) or not isinstance(tasks, (Mapping, Sequence)):
                raise TypeError(f"The tasks of job {job!r} must be a list or a dict: {tasks!r}")
            numbered = tasks if isinstance(tasks, Mapping) else dict(enumerate(tasks))
            self._jobs[job] = {int(i): str(address) for i, address in numbered.items()}

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def _job(self, job_name: str) -> dict[int, str]:
        if job_name not in self._jobs:
            raise ValueError(f"No such job in cluster: {job_name!r}")
        return self._jobs[job_name]

    def num_tasks(self, job_name: str) -> int:
        """Returns how many tasks a job has.

        Args:
            job_name: The name of the job.

        Returns:
            An int.

        Raises:
            ValueError: There is no such job.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Returns the numbers of a job's tasks.

        Args:
            job_name: The name of the job.

        Returns:
            A sorted list of ints.

        Raises:
            ValueError: There is no such job.
        """
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Returns the address of a task.

        Args:
            job_name: The name of the job.
            task_index: The number of the task.

        Returns:
            A string.

        Raises:
            ValueError: There is no such job, or no such task.
        """
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """Returns the addresses of a job's tasks.

        Args:
            job_name: The name of the job.

        Returns:
            A list of strings in the order of the tasks, with None where a number is missing.

        Raises:
            ValueError: There is no such job.
        """
        tasks = self._job(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def as_dict(self) -> dict[str, Any]:
        """Returns the jobs as the constructor takes them.

        >>> import graphwright as tf
        >>> tf.train.ClusterSpec({"worker": ["a:1"], "ps": {1: "b:2"}}).as_dict()
        {'worker': ['a:1'], 'ps': {1: 'b:2'}}
        """
        return {
            job: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)
            for job, tasks in self._jobs.items()
        }

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    def __hash__(self) -> int:
        return hash(tuple((job, tuple(tasks.items())) for job, tasks in self._jobs.items()))

    def __repr__(self) -> str:
        return f"ClusterSpec({dict(sorted(self.as_dict().items()))!r})"
