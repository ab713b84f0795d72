import { RECORDED_OBJECTS } from '@svc/protocol/operator/rebuild-objects'
import { DATABASE_NAMES, type DatabaseName, type Store } from './state-folder.ts'

/** What an operator runs after a loss, as typed after `scripts/admin`. */
export type Command = readonly string[]

/** What an operator does before the platform runs again. */
export type Repair =
  /** `earlier`: from the export before the last part of the load. */
  | { readonly kind: 'import'; readonly databases: readonly DatabaseName[]; readonly from: 'newest' | 'earlier' }
  | { readonly kind: 'copy'; readonly bucket: string }

/** One row of the table of the drill. */
export interface Loss {
  readonly lost: string
  readonly stores: readonly Store[]
  /** After the whole bucket, each of its prefixes is lost by itself. */
  readonly isByPrefix?: boolean
  /** `earlier`: the stores come back as they were before the second half of the load. */
  readonly how: 'lost' | 'earlier'
  readonly restoredFrom: string
  readonly repairs: readonly Repair[]
  /** Stores that are lost after the commands, once the objects are recorded again. */
  readonly afterwards?: Pick<Loss, 'stores' | 'commands'>
  /** The data must not come back. */
  readonly isErased?: boolean
  /** In order. `LOST` stands for the time of the loss, `LOG` for the log of anchors, `EACH` for every DID. */
  readonly commands: readonly Command[]
  /** Identities were rebuilt, which accept nothing that was signed before the loss. */
  readonly hasFloor?: boolean
  /** Accounts of the key directory were rebuilt, which give out none of their one-time prekeys. */
  readonly isWithoutPrekeys?: boolean
  /** The database of control was imported: for some minutes, nothing that the operator signs is accepted. */
  readonly isOperatorRefused?: boolean
  /** What was acknowledged in later parts of the load is not there: the row says how much. */
  readonly until?: number
}

const objects = (script: string, className: string): Store => ({ kind: 'objects', script, className })
const IDENTITIES = objects('svc-core', 'IdentityObject')
const ANCHOR_LOG = objects('svc-core', 'AnchorLogObject')
const DIRECTORY_LOG = objects('svc-keys', 'TransparencyLogObject')
const KEY_VALUE: Store = { kind: 'key-value' }
const RECORDS: Store = { kind: 'bucket', name: 'svc-core-records', prefix: 'identities/' }

/** What `scripts/admin rebuild` rebuilds, with the stores that hold it. */
interface Recorded {
  readonly lost: string
  readonly stores: readonly Store[]
  readonly objects: readonly string[]
}

/** The classes of objects that are recorded, but for identities. */
const RECORDED: readonly Recorded[] = [
  {
    lost: 'note vaults and inboxes',
    stores: [objects('svc-core', 'NoteVaultObject'), objects('svc-core', 'InboxObject')],
    objects: ['vaults', 'inboxes'],
  },
  {
    lost: 'accounts of the key directory',
    stores: [objects('svc-keys', 'AccountDirectoryObject')],
    objects: ['accounts'],
  },
  {
    lost: 'organizations and memberships',
    stores: [objects('svc-did', 'OrganizationObject'), objects('svc-did', 'MembershipsObject')],
    objects: ['organizations', 'memberships'],
  },
  {
    lost: 'capsules',
    stores: [objects('svc-provenance', 'CapsuleBucketObject'), objects('svc-provenance', 'CapsuleOwnerObject')],
    objects: ['capsule-buckets', 'capsule-owners'],
  },
  { lost: 'meters', stores: [objects('svc-pay', 'QuotaMeterObject')], objects: ['meters'] },
  {
    lost: 'consent',
    stores: [objects('svc-consent', 'ConsentStoreObject'), objects('svc-consent', 'ConsentCreatorObject')],
    objects: ['consent-stores', 'consent-creators'],
  },
]

const rebuildAll = (names: readonly string[]): Command[] => names.map((name) => ['rebuild', name, 'all', 'LOST'])
const replaceAll = (names: readonly string[]): Command[] => rebuildAll(names).map((command) => [...command, 'replace'])
const REBUILD: readonly Command[] = rebuildAll(['identities', ...RECORDED.flatMap(({ objects: names }) => names)])
const REBUILD_ANCHORS: Command = ['rebuild-anchors', 'LOG']
const REINDEX: readonly Command[] = ['text', 'semantic', 'fragment', 'video'].map((index) => ['reindex', index])

/** What follows an import, by database. */
const AFTER: Partial<Record<DatabaseName, readonly Command[]>> = {
  'svc-core': [REBUILD_ANCHORS],
  'svc-provenance': REINDEX,
}

const databases = (names: readonly DatabaseName[]): Store[] => names.map((name) => ({ kind: 'database', name }))
const imported = (names: readonly DatabaseName[], from: 'newest' | 'earlier' = 'newest') => ({
  repairs: [{ kind: 'import', databases: names, from } as const],
  commands: names.flatMap((name) => AFTER[name] ?? []),
  isOperatorRefused: names.includes('svc-control'),
})

/** After an import of control, the operator's acts that follow other losses are refused for some minutes. */
const MOST_DATABASES = DATABASE_NAMES.filter((name) => name !== 'svc-control')
export const SMALL: readonly Loss[] = [
  {
    lost: 'every object that is recorded, every D1 but that of control, the log of anchors, the key-value store',
    stores: [
      IDENTITIES,
      ...RECORDED.flatMap(({ stores }) => stores),
      ...databases(MOST_DATABASES),
      ANCHOR_LOG,
      KEY_VALUE,
    ],
    how: 'lost',
    restoredFrom: 'records, an export, files of the log',
    ...imported(MOST_DATABASES),
    commands: [...REBUILD, REBUILD_ANCHORS, ...REINDEX],
    hasFloor: true,
    isWithoutPrekeys: true,
  },
]

const nameOf = (database: DatabaseName) => database.slice('svc-'.length)
const sourceOf = (names: readonly DatabaseName[]) =>
  names.includes('svc-core') ? 'an export, files of the log' : 'an export'

const lostDatabase = (name: DatabaseName): Loss => ({
  lost: `D1 of ${nameOf(name)}`,
  stores: databases([name]),
  how: 'lost',
  restoredFrom: sourceOf([name]),
  ...imported([name]),
})

const earlierDatabases = (names: readonly DatabaseName[]): Loss => ({
  lost: `D1 of ${names.map(nameOf).join(', ')}, restored to an earlier time`,
  stores: databases(names),
  how: 'earlier',
  restoredFrom: sourceOf(names),
  ...imported(names),
})

/** Some objects come back by themselves: the copy has nothing to add for them. */
const BUCKETS = [
  'svc-core-blobs',
  'svc-provenance-blobs',
  'svc-consent-blobs',
  'svc-keys-tiles',
  ...Object.keys(RECORDED_OBJECTS).map((service) => `svc-${service}-records`),
].map(
  (name): Loss => ({
    lost: `bucket ${name}`,
    stores: [{ kind: 'bucket', name }],
    isByPrefix: true,
    how: 'lost',
    restoredFrom: 'a copy of the bucket',
    repairs: [{ kind: 'copy', bucket: name }],
    commands: [],
  }),
)

const CORE_KEYS: Store = { kind: 'bucket', name: 'svc-core-erasure-keys' }
const METER_KEYS: Store = { kind: 'bucket', name: 'svc-pay-erasure-keys' }
const recorded = (name: string) => RECORDED.find(({ objects: names }) => names.includes(name))?.stores ?? []

/** Losses of erasure keys: without the objects nothing opens, and with them nothing is lost. */
const ERASURE_KEYS: readonly Loss[] = [
  {
    lost: 'erasure keys of core, and after that vaults and inboxes',
    stores: [CORE_KEYS],
    how: 'lost',
    restoredFrom: 'the objects, which are recorded again, and these records',
    repairs: [],
    commands: ['identities', 'vaults', 'inboxes'].map((name) => ['rebuild', name, 'EACH', 'LOST']),
    afterwards: { stores: recorded('vaults'), commands: rebuildAll(['vaults', 'inboxes']) },
  },
  {
    lost: 'erasure keys of pay, and after that meters',
    stores: [METER_KEYS],
    how: 'lost',
    restoredFrom: 'the objects, which are recorded again, and these records',
    repairs: [],
    commands: [['rebuild', 'meters', 'EACH', 'LOST']],
    afterwards: { stores: recorded('meters'), commands: rebuildAll(['meters']) },
  },
  {
    lost: 'identities with the erasure keys of core',
    stores: [IDENTITIES, CORE_KEYS],
    how: 'lost',
    restoredFrom: 'nothing: without keys, no record opens',
    repairs: [],
    commands: [...rebuildAll(['identities']), ['rebuild', 'identities', 'EACH', 'LOST']],
    isErased: true,
  },
]

const itself = (lost: string, store: Store, restoredFrom: string): Loss[] => [
  { lost, stores: [store], how: 'lost', restoredFrom, repairs: [], commands: [] },
  {
    lost: `${lost}, restored to an earlier time`,
    stores: [store],
    how: 'earlier',
    restoredFrom,
    repairs: [],
    commands: [],
  },
]

export const ALL: readonly Loss[] = [
  // First, while the acts of the operator in the load could still be sent again.
  lostDatabase('svc-control'),
  earlierDatabases(['svc-control']),
  {
    lost: 'every D1, with an export from before the last part of the load',
    stores: databases(DATABASE_NAMES),
    how: 'lost',
    restoredFrom: 'an earlier export',
    ...imported(DATABASE_NAMES, 'earlier'),
    // Nothing that the operator signs is accepted yet.
    commands: [],
    until: 1,
  },
  ...MOST_DATABASES.map(lostDatabase),
  earlierDatabases(MOST_DATABASES),
  ...SMALL,
  {
    lost: 'identities',
    stores: [IDENTITIES],
    how: 'lost',
    restoredFrom: 'records',
    repairs: [],
    commands: rebuildAll(['identities']),
    hasFloor: true,
  },
  {
    lost: 'identities, restored to an earlier time',
    stores: [IDENTITIES],
    how: 'earlier',
    restoredFrom: 'records',
    repairs: [],
    commands: replaceAll(['identities']),
    hasFloor: true,
  },
  ...RECORDED.flatMap(({ lost, stores, objects: names }): Loss[] => {
    const isWithoutPrekeys = names.includes('accounts')
    const shared = { stores, restoredFrom: 'records', repairs: [], isWithoutPrekeys } as const
    return [
      { ...shared, lost, how: 'lost', commands: rebuildAll(names) },
      { ...shared, lost: `${lost}, restored to an earlier time`, how: 'earlier', commands: replaceAll(names) },
    ]
  }),
  ...itself('log of anchors', ANCHOR_LOG, 'heads in R2, by itself'),
  ...itself('log of the key directory', DIRECTORY_LOG, 'heads in R2, by itself'),
  {
    lost: 'key-value store',
    stores: [KEY_VALUE],
    how: 'lost',
    restoredFrom: 'nothing: it is a cache',
    repairs: [],
    commands: [],
  },
  {
    lost: 'records of identities (R2)',
    stores: [RECORDS],
    how: 'lost',
    restoredFrom: 'identities, which are recorded again',
    repairs: [],
    commands: [['rebuild', 'identities', 'EACH', 'LOST']],
  },
  ...ERASURE_KEYS,
  ...BUCKETS,
]
