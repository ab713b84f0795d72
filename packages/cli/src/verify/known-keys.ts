import type { Client, ConnectOptions, Pin, WitnessPolicy } from '#client'
import type { KnownKeys } from '#client/evidence'
import type { ListedLogs } from '#client/functions'
import type { Context } from '../context.ts'
import { PIN } from '../settings/trust-names.ts'

/** The list of logs in the trust store of a deployment. */
const LOGS = 'svc/log-list'

/** What is known of the profile's deployment without asking it. */
export interface Known {
  readonly realms: readonly string[]
  /** Null if svc never reached it. */
  readonly keys: KnownKeys | null
}

/** Keeps the list of logs, which the client verifies by the pinned keys. A deployment may have none. */
export async function keepLogs(client: Client, { trustStore }: ConnectOptions): Promise<void> {
  try {
    await trustStore?.set(LOGS, await (await client.anchors.logs()).list())
  } catch (error) {
    if (!(error instanceof Error && ['ServiceError', 'ConnectionError'].includes(error.name))) throw error
  }
}

/** Nothing without a profile, or if something must be for another deployment. */
export async function knownKeys(context: Context, realm: string | null): Promise<Known> {
  const nothing = { realms: realm === null ? [] : [realm], keys: null }
  const profile = await context.profile().catch(() => null)
  if (!profile) return nothing
  const { trustStore } = await context.connectionTo(profile)
  const pin = (await trustStore?.get(PIN)) as Pin | undefined
  const realms = pin?.list?.statement.realms ?? [profile.realm]
  if (realm !== null && !realms.includes(realm)) return nothing
  const logs = ((await trustStore?.get(LOGS)) as ListedLogs | undefined) ?? null
  return {
    realms: realm === null ? realms : [realm],
    keys: pin
      ? { services: pin.list?.statement.services ?? [], ...(pin.list && { beacon: pin.list.statement.beacon }), logs }
      : null,
  }
}

/** The witnesses set with `svc trust`; null without a profile. */
export async function demandedWitnesses(context: Context): Promise<WitnessPolicy | null> {
  const profile = await context.profile().catch(() => null)
  return (profile && (await context.connectionTo(profile)).witnesses) ?? null
}
