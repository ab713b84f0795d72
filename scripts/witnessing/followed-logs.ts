import type { Transport } from '@svc/client'
import {
  AnchorAuditor,
  type AnchorAuditState,
  type AuditReport,
  anchorAuditStateSchema,
  auditStateSchema,
  cosign,
  cosignAnchors,
  LogAuditor,
} from '@svc/client/audit'
import type { ListKeys } from '@svc/protocol/merkle/log-list'

export interface Cosigned {
  readonly log: string
  readonly size: number
}

type Followed<R> =
  | { readonly ok: true; readonly value: R }
  | { readonly ok: false; readonly error: { readonly reason: string; readonly evidence?: unknown } }

/** How a witness follows the logs of one service. `R` is the result of a verified visit. */
export interface FollowedLogs<R> {
  /** The key of the state and the evidence in the store. */
  readonly name: string
  /** Shown in the program's output. */
  readonly title: string
  /** Continues from the stored state. Fails only if the service contradicts what it signed. */
  readonly follow: (stored: unknown) => Promise<Followed<R>>
  /** The state to store before cosigning. */
  readonly stateOf: (report: R) => object
  readonly cosign: (report: R, now: number) => Promise<readonly Cosigned[]>
}

export interface FollowedService {
  readonly transport: Transport
  /** Keys of the log list from another source. With keys from the service itself, a witness proves nothing. */
  readonly listKeys: ListKeys
  /** The seed of the witness's ML-DSA-65 key. */
  readonly seed: Uint8Array
}

/**
 * The log of a key directory. It must only grow, and its maps of accounts must match the entries. The map is kept in
 * memory, so all entries are read again after a restart.
 */
export function directoryLogs(keys: string, { transport, listKeys, seed }: FollowedService): FollowedLogs<AuditReport> {
  const auditor = new LogAuditor(transport, keys, listKeys)
  return {
    name: keys,
    title: 'the key directory',
    follow: (stored) => auditor.safeFollow(stored === null ? null : auditStateSchema.parse(stored)),
    stateOf: ({ state }) => state,
    async cosign(report, now) {
      const { log, size } = report.state.checkpoint.statement
      if (size === 0) return []
      await cosign(transport, keys, report, { seed, now })
      return [{ log, size }]
    },
  }
}

/** The logs of anchors. Each must only grow. A state is cosigned once, because core keeps every cosignature. */
export function anchorLogs(
  core: string,
  { transport, listKeys, seed }: FollowedService,
): FollowedLogs<AnchorAuditState> {
  const auditor = new AnchorAuditor(transport, core, listKeys)
  const cosigned = new Map<string, number>()
  return {
    name: `${core}/api/anchors`,
    title: 'core',
    follow: (stored) => auditor.safeFollow(stored === null ? null : anchorAuditStateSchema.parse(stored)),
    stateOf: (state) => state,
    async cosign({ checkpoints }, now) {
      const done: Cosigned[] = []
      for (const checkpoint of checkpoints) {
        const { log, size } = checkpoint.statement
        if (size === 0 || cosigned.get(log) === size) continue
        await cosignAnchors(transport, core, checkpoint, { seed, now })
        cosigned.set(log, size)
        done.push({ log, size })
      }
      return done
    },
  }
}
