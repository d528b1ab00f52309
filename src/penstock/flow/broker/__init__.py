"""The broker: deployed projects, and the processes that run their flows.

`home` is the folder on disk, `deployments` the desired state, `supervisor` brings it about, `worker` is the
process that runs one instance. A deployment is a file, so it survives the death of any process.
"""
