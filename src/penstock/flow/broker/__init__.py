"""The broker: deployed projects, and the processes that run their flows.

`home` is what lies on disk, `deployments` what shall run, `supervisor` makes it so, `worker` is the process
that runs one instance. A deployment is a file: what is deployed survives whatever happens to processes.
"""
