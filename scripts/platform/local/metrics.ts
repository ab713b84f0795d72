/**
 * Stands in for Analytics Engine: a Miniflare plugin, loaded by path, whose binding prints rows, and the file in the state
 * folder that they are kept in.
 *
 * @module
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { V4WorkerOptionsShape } from 'miniflare'
import type { WorkerConfig } from '../worker-config.ts'
import { bindingPlugin } from './binding-plugin.ts'

type Datasets = NonNullable<V4WorkerOptionsShape['analyticsEngineDatasets']>
type UnsafeBindings = NonNullable<V4WorkerOptionsShape['unsafeBindings']>

const NAME = 'local-metrics'
const PREFIX = 'svc-metric-row '

/** The dataset bindings of a Worker's configuration, as this plugin takes them. */
export function localMetrics(datasets: Datasets): UnsafeBindings {
  return Object.entries(datasets).map(([name, { dataset }]) => ({
    name,
    type: NAME,
    plugin: { package: import.meta.filename, name: NAME },
    options: { dataset, prefix: PREFIX },
  }))
}

/** The runtime's own datasets drop every row. */
export function withLocalMetrics({ analyticsEngineDatasets = {}, ...options }: WorkerConfig['options']) {
  return { ...options, unsafeBindings: [...(options.unsafeBindings ?? []), ...localMetrics(analyticsEngineDatasets)] }
}

/** A row as it is stored: what SQL calls `timestamp`, `index1`, `blob1` and so on. */
export interface StoredRow {
  readonly timestamp: number
  readonly dataset: string
  readonly index: string
  readonly blobs: readonly string[]
  readonly doubles: readonly number[]
}

export const metricsFile = (stateDir: string) => join(stateDir, 'metrics', 'rows.jsonl')

/** Keeps the rows that the Workers print, in the order of their arrival. */
export class LocalMetrics {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
    mkdirSync(dirname(file), { recursive: true })
  }

  /** Whether the line was a row, which does not belong in the log. */
  take(line: string, now: number): boolean {
    if (!line.startsWith(PREFIX)) return false
    const row = JSON.parse(line.slice(PREFIX.length)) as Omit<StoredRow, 'timestamp'>
    appendFileSync(this.#file, `${JSON.stringify({ timestamp: now, ...row } satisfies StoredRow)}\n`)
    return true
  }
}

/** A last line that a crash cut off is left out. */
export function readStoredRows(file: string): StoredRow[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as StoredRow)
}

/** Read by Miniflare. */
export const plugins = bindingPlugin({
  name: NAME,
  description: 'Analytics Engine, in a file',
  entrypoint: 'metricsBinding',
  file: join(import.meta.dirname, 'metrics-binding.ts'),
})
