from penstock.lab.analysis.frames import open_runs as open_runs
