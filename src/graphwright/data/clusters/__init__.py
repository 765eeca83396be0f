"""Elements that other threads, processes and machines compute: `tf.distribute.map`."""
