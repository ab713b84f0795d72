export { RECORD_DELAY_MS } from './delay.ts'
export { type RecordedNames, RecordFiles, type RecordPlace } from './record-files.ts'
export type { RecordPlan } from './recorded-tables.ts'
export {
  RECORD_FACTS,
  type RebuildOptions,
  type Rebuilt,
  RecordConflict,
  Recorder,
} from './recorder.ts'
