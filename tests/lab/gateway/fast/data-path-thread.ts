import { workerData } from 'node:worker_threads';
import { runDataPath, type DataPathStart } from '../../../../helper/engine/own/data-path/data-path.ts';

runDataPath(workerData as DataPathStart);
