import type { Transport } from '@svc/client'
import { leafIdOfEntry } from '@svc/protocol/keys/account-map'
import { checkpointAnswerSchema, entriesAnswerSchema } from '@svc/protocol/keys/transparency'
import { type AnchorBodies, anchorBodiesSchema } from '@svc/protocol/ledger/anchor-feed'
import { publicationsPageSchema } from '@svc/protocol/ledger/anchor-publications'
import { leafIdOfLine } from '@svc/protocol/ledger/withheld'
import { signedCheckpointSchema } from '@svc/protocol/merkle/checkpoint'
import { type LogListAnswer, logListAnswerSchema } from '@svc/protocol/merkle/log-list'
import type { LogSeries } from '@svc/protocol/merkle/log-name'
import type { ReadPublications } from './publication-follower.ts'
import type { StoredHead } from './stored-log.ts'

/** A service that keeps a series of logs, as the mirror reads it. */
export interface LogSource {
  readonly name: 'core' | 'keys'
  readonly series: LogSeries
  readonly lists: (since: number) => Promise<LogListAnswer>
  readonly head: (log: string) => Promise<StoredHead>
  readonly entries: (
    log: string,
    bundle: number,
  ) => Promise<{ readonly from: number; readonly entries: readonly string[] }>
  /** Of logs whose leaves commit to more than their entries. */
  readonly bodies: ((log: string, from: number) => Promise<AnchorBodies>) | null
  /** Reports of the publisher, at the service of anchors. */
  readonly publications: ReadPublications | null
  /** The id by which a leaf is looked up. */
  readonly itemOf: (line: string) => string | null
}

const ofLog = (log: string) => `?log=${encodeURIComponent(log)}`

export function anchorSource(transport: Transport, core: string): LogSource {
  const at = (path: string) => ({ method: 'GET', url: `${core}${path}` }) as const
  return {
    name: 'core',
    series: 'anchors',
    lists: (since) => transport.data(at(`/api/logs?since=${since}`), logListAnswerSchema),
    head: async (log) => {
      const checkpoint = await transport.json(at(`/api/anchors/checkpoint${ofLog(log)}`), signedCheckpointSchema)
      return { checkpoint, cosignatures: [] }
    },
    entries: (log, bundle) =>
      transport.json(at(`/api/anchors/feed/entries/${bundle}${ofLog(log)}`), entriesAnswerSchema),
    bodies: (log, from) => transport.json(at(`/api/anchors/feed/bodies/${from}${ofLog(log)}`), anchorBodiesSchema),
    publications: (after) =>
      transport.json(
        at(`/api/anchors/feed/publications${after === null ? '' : `?after=${after}`}`),
        publicationsPageSchema,
      ),
    itemOf: leafIdOfLine,
  }
}

export function directorySource(transport: Transport, keys: string): LogSource {
  const at = (path: string) => ({ method: 'GET', url: `${keys}/api/transparency/${path}` }) as const
  return {
    name: 'keys',
    series: 'transparency',
    lists: (since) => transport.data(at(`logs?since=${since}`), logListAnswerSchema),
    head: (log) => transport.data(at(`checkpoint${ofLog(log)}`), checkpointAnswerSchema),
    entries: (log, bundle) => transport.data(at(`entries/${bundle}${ofLog(log)}`), entriesAnswerSchema),
    bodies: null,
    publications: null,
    itemOf: leafIdOfEntry,
  }
}
