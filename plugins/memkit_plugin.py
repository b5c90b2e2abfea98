"""memkit's plugin for `datasette --plugins-dir plugins`; where it is installed, it is there already and stays one."""

from datasette.plugins import pm

from memkit import datasette_plugin

if not pm.is_registered(datasette_plugin):
    pm.register(datasette_plugin, name="memkit")
