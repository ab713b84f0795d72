import { type DataPoint, dataPointOf, type MetricRow } from './metric-rows.ts'

interface Dataset {
  writeDataPoint(point: DataPoint): void
}

let dataset: Dataset | undefined

/** Called by the entry of each Worker: objects, triggers and RPC have no request that could bring the binding. */
export function meterInto(env: { readonly METRICS?: Dataset }): void {
  dataset = env.METRICS
}

/** Writing is not waited for and never fails the work that it counts. */
export function writeRow(row: MetricRow): void {
  try {
    dataset?.writeDataPoint(dataPointOf(row))
  } catch {
    // More than 250 in one invocation: the log has the line.
  }
}
