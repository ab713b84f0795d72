import type { Store } from './state-folder.ts'

/** What an operator runs after a loss, as typed after `scripts/admin`. */
export type Command = readonly string[]

/** One row of the table of the drill. */
export interface Loss {
  readonly lost: string
  readonly stores: readonly Store[]
  /** `earlier`: the stores come back as they were before the second half of the load. */
  readonly how: 'lost' | 'earlier'
  readonly restoredFrom: string
  /** In order. `LOST` stands for the time of the loss, `LOG` for the log of anchors, `EACH` for every DID. */
  readonly commands: readonly Command[]
  /** Whether identities were rebuilt, which accept nothing that was signed before the loss. */
  readonly hasFloor: boolean
}

const IDENTITIES: Store = { kind: 'objects', script: 'svc-core', className: 'IdentityObject' }
const ANCHOR_LOG: Store = { kind: 'objects', script: 'svc-core', className: 'AnchorLogObject' }
const DIRECTORY_LOG: Store = { kind: 'objects', script: 'svc-keys', className: 'TransparencyLogObject' }
/** Of what the clients of the drill write, it holds the index of anchors. */
const ANCHOR_INDEX: Store = { kind: 'database', table: 'anchor_publications' }
const KEY_VALUE: Store = { kind: 'key-value' }
const RECORDS: Store = { kind: 'prefix', prefix: 'identities/' }

const REBUILD: Command = ['rebuild', 'identities', 'all', 'LOST']
const REPLACE: Command = ['rebuild', 'identities', 'all', 'LOST', 'replace']
const REINDEX: Command = ['rebuild-anchors', 'LOG']

/** Everything of core that is outside of R2, at once. */
export const SMALL: readonly Loss[] = [
  {
    lost: 'all identities, the D1 of core, the log of anchors, the key-value store',
    stores: [IDENTITIES, ANCHOR_INDEX, ANCHOR_LOG, KEY_VALUE],
    how: 'lost',
    restoredFrom: 'records, files of the log',
    commands: [REBUILD, REINDEX],
    hasFloor: true,
  },
]

export const ALL: readonly Loss[] = [
  ...SMALL,
  {
    lost: 'identities, restored to an earlier time',
    stores: [IDENTITIES],
    how: 'earlier',
    restoredFrom: 'records',
    commands: [REPLACE],
    hasFloor: true,
  },
  {
    lost: 'D1 of core',
    stores: [ANCHOR_INDEX],
    how: 'lost',
    restoredFrom: 'files of the log',
    commands: [REINDEX],
    hasFloor: false,
  },
  {
    lost: 'D1 of core, restored to an earlier time',
    stores: [ANCHOR_INDEX],
    how: 'earlier',
    restoredFrom: 'files of the log',
    commands: [REINDEX],
    hasFloor: false,
  },
  {
    lost: 'log of anchors',
    stores: [ANCHOR_LOG],
    how: 'lost',
    restoredFrom: 'heads in R2, by itself',
    commands: [],
    hasFloor: false,
  },
  {
    lost: 'log of anchors, restored to an earlier time',
    stores: [ANCHOR_LOG],
    how: 'earlier',
    restoredFrom: 'heads in R2, by itself',
    commands: [],
    hasFloor: false,
  },
  {
    lost: 'log of the key directory',
    stores: [DIRECTORY_LOG],
    how: 'lost',
    restoredFrom: 'heads in R2, by itself',
    commands: [],
    hasFloor: false,
  },
  {
    lost: 'log of the key directory, restored to an earlier time',
    stores: [DIRECTORY_LOG],
    how: 'earlier',
    restoredFrom: 'heads in R2, by itself',
    commands: [],
    hasFloor: false,
  },
  {
    lost: 'key-value store',
    stores: [KEY_VALUE],
    how: 'lost',
    restoredFrom: 'nothing: it is a cache',
    commands: [],
    hasFloor: false,
  },
  {
    lost: 'records of identities (R2)',
    stores: [RECORDS],
    how: 'lost',
    restoredFrom: 'identities, which are recorded again',
    commands: [['rebuild', 'identities', 'EACH', 'LOST']],
    hasFloor: false,
  },
  {
    lost: 'identities',
    stores: [IDENTITIES],
    how: 'lost',
    restoredFrom: 'records',
    commands: [REBUILD],
    hasFloor: true,
  },
]
