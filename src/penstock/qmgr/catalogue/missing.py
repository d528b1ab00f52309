"""What does not exist in Penstock, as sentences for `stored`: the reason why an attribute changes nothing.

One constant for each subject that several tables share. When a subject is implemented, delete it here; the
tables that named it fail to import until they declare that the attribute works.
"""

NO_ACTIVITY = "programs cannot override the activity trace"
NO_COMPRESSION = "nothing is compressed"
NO_EXITS = "channel exits are not called"
NO_IMAGES = "media images are recorded only by command"
NO_MULTICAST = "there is no multicast"
NO_OVERRIDE = "programs cannot override accounting"
NO_WORKLOAD_EXITS = "workload exits are not called"
