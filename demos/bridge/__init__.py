"""The two ends of the bridge as commands: the racing engine as a client, renderers at an address, figures of both."""
