export { LeafCourier } from './courier.ts'
export { edgeKeys, LogFiles, logPrefixes } from './files.ts'
export { type EntryBundle, LogReader } from './reader.ts'
export { LOG_SCHEMA } from './schema.ts'
export {
  BATCH_MS,
  type CloseRefusal,
  type LogHead,
  type PlacedLeaf,
  placedBy,
  Sequencer,
  type SequencerParts,
  type SubmitRefusal,
  storedLogName,
} from './sequencer.ts'
export { type OpenLog, SeriesLogs } from './series.ts'
export type { SubmittedLeaf } from './store.ts'
