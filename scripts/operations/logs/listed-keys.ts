/**
 * What a list says besides its logs: realms, and the keys of services, the beacon and witnesses. They come from the
 * deployment's file, the configuration of the Workers and what the directory shows of its beacon.
 *
 * @module
 */
import { derivedBeaconKeys, listedBeaconKey, listedServiceKeys, listedWitnessKey } from '@svc/platform/listed-keys'
import { SetupError } from '@svc/platform/workspace'
import type { Realms } from '@svc/protocol/base/realm'
import { HELD_KEY_USES, keysOf, type ServiceKey, type ServiceKeyName } from '@svc/protocol/http/service-keys'
import { beaconOrigin, beaconSchema } from '@svc/protocol/merkle/beacon'
import type { ListedKeys, ListedServiceKey } from '@svc/protocol/merkle/listed-keys'
import type { LogList } from '@svc/protocol/merkle/log-list'
import { type Deployment, realmsOf } from '../deployment.ts'
import { configOf } from '../worker-deployment.ts'
import { type Configured, type Keeper, keeperOf, logSeedOf, type Send } from './keepers.ts'

/** What a deployment has now. Keys of the beacon are verifier keys. */
export interface DeployedKeys {
  readonly realms: Realms
  readonly services: Deployment['serviceKeys']
  /** The public keys of the publisher and the operator, as core is configured with them. */
  readonly held: readonly HeldKey[]
  readonly beacon: readonly string[]
  readonly witnesses: readonly string[]
}

type HeldKey = Pick<ServiceKey, 'publicKeyB64u'> & ServiceKeyName

export interface KeyChange extends DeployedKeys {
  /** How many witnesses the deployment proposes; undefined to leave it. */
  readonly threshold?: number | undefined
  /** Periods of the beacon whose keys end now. */
  readonly endedBeacons?: readonly string[]
}

export type ListedMembers = Pick<LogList, 'realms' | 'services' | 'beacon' | 'witnesses'>

const HELD_KEY_VARIABLES = { publication: 'PUBLISHER_PUBLIC_KEY', operation: 'OPERATOR_PUBLIC_KEY' } as const

export function deployedKeys({ deployment, configs }: Configured, beacon: readonly string[]): DeployedKeys {
  const base = configs.get('keys')
  if (!base) throw new SetupError('keys has no configuration.')
  const witnesses = configOf('keys', base, deployment, { sha: '' }).vars['WITNESS_KEYS']
  const core = configs.get('core')
  const vars = core ? configOf('core', core, deployment, { sha: '' }).vars : {}
  const { serviceKeys: services } = deployment
  return {
    realms: realmsOf(deployment),
    services,
    held: HELD_KEY_USES.flatMap((name) => {
      const key = vars[HELD_KEY_VARIABLES[name.use]]
      return typeof key === 'string' && key !== '' ? [{ ...name, publicKeyB64u: key }] : []
    }),
    beacon,
    witnesses: Array.isArray(witnesses) ? witnesses.map(String) : [],
  }
}

/** The verifier keys that the key directory shows for its beacon. */
export async function reportedBeacon(keepers: readonly Keeper[], send: Send = fetch): Promise<readonly string[]> {
  const keeper = keepers.find(({ series }) => series === 'transparency')
  if (!keeper) return []
  const url = `${keeper.tiles}/beacon`
  const response = await send(url).catch(() => null)
  const body = (await response?.json().catch(() => null)) as { data?: unknown } | null
  const parsed = beaconSchema.safeParse(body?.data)
  if (response?.ok && parsed.success) return parsed.data.verifierKeys
  throw new SetupError(`${url} answered ${response?.status ?? 'nothing'} and no beacon: has the Worker its log seed?`)
}

/** The verifier keys of the beacons that belong to announced logs of the directory: they have its periods. */
export async function derivedBeacons(
  keepers: readonly Keeper[],
  announced: readonly string[],
  seedOf: (name: string) => string | undefined,
  version?: number,
): Promise<readonly string[]> {
  const keys = announced.map(async (log) => {
    const keeper = keeperOf(keepers, log)
    if (keeper.series !== 'transparency') return []
    const { seed, keyVersion: seedVersion } = logSeedOf(keeper, log, seedOf, version)
    return derivedBeaconKeys({ seed, seedVersion }, beaconOrigin(keeper.namespace, log.split('/').at(-1) ?? ''), 0)
  })
  return (await Promise.all(keys)).flat().map(({ verifierKey }) => verifierKey)
}

/** The members of the list after one that has `before`. What the deployment no longer has ends now and stays listed. */
export function keysAfter(before: ListedKeys, change: KeyChange, now: number): ListedMembers {
  const configured = [...listedServiceKeys(change.services), ...heldAfter(before, change, now)]
  const isListed = ({ publicKeyB64u }: { readonly publicKeyB64u: string }) =>
    configured.some((key) => key.publicKeyB64u === publicKeyB64u)
  const gone = before.services.filter((key) => !isListed(key)).map((key) => ended(key, now))
  const { witnesses } = before
  const knownWitnesses = witnesses.keys.map((key) =>
    change.witnesses.includes(key.publicKeyB64u) ? key : ended(key, now),
  )
  const newWitnesses = change.witnesses.filter((key) => !witnesses.keys.some((one) => one.publicKeyB64u === key))
  const keys = [...knownWitnesses, ...newWitnesses.map((key) => listedWitnessKey(key, now))]
  const active = keys.filter(({ validUntil }) => validUntil === null).length
  const threshold = change.threshold ?? Math.min(Math.max(witnesses.threshold, 1), active)
  if (threshold > active) throw new SetupError(`Only ${active} witnesses are configured (WITNESS_KEYS of keys).`)
  return {
    realms: [...change.realms],
    services: [...configured, ...gone],
    beacon: beaconAfter(before.beacon, change, now),
    witnesses: { threshold, keys },
  }
}

/** A key that people hold counts from the list on that names it, and the first one of its use for what it signed before. */
function heldAfter({ services }: ListedKeys, { held }: KeyChange, now: number): ListedServiceKey[] {
  return held.flatMap(({ publicKeyB64u, ...name }) => {
    const known = keysOf(services, name)
    const listed = known.find((key) => key.publicKeyB64u === publicKeyB64u)
    if (listed) return [listed]
    return listedServiceKeys([{ ...name, publicKeyB64u, validFrom: known.length === 0 ? 0 : now, validUntil: null }])
  })
}

function beaconAfter(before: ListedKeys['beacon'], { beacon, endedBeacons = [] }: KeyChange, now: number) {
  const isOver = (verifierKey: string) =>
    endedBeacons.some((period) => verifierKey.split('+')[0]?.endsWith(`/beacon/${period}`))
  const known = before.map((key) => (isOver(key.verifierKey) ? ended(key, now) : key))
  const added = beacon.filter((key) => !before.some(({ verifierKey }) => verifierKey === key))
  return [...known, ...added.map((key) => listedBeaconKey(key, now))]
}

function ended<K extends { readonly validFrom: number; readonly validUntil: number | null }>(key: K, now: number): K {
  return { ...key, validUntil: Math.max(Math.min(key.validUntil ?? now, now), key.validFrom + 1) }
}
