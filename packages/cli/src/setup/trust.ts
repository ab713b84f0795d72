import type { ConnectOptions, Discovery, Pin, WitnessPolicy } from '#client'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { flag, type Given, list as listOf, option, type Result } from '../result.ts'
import { COMPARED, PIN, WITNESSES } from '../settings/trust-names.ts'
import { keepLogs } from '../verify/known-keys.ts'

const PUBLIC_KEY = /^[A-Za-z0-9_-]{2603}$/

/** Shows the pin, which asks nobody; with a fingerprint, pins the keys of the list that have it. */
export async function trust(context: Context, given: Given): Promise<Result> {
  const profile = await context.profile()
  const connection = await context.connectionTo(profile)
  const fingerprint = option(given, 'fingerprint')
  if (fingerprint !== undefined) await repin(context, connection, fingerprint)
  const { trustStore } = connection
  const pin = (await trustStore?.get(PIN)) as Pin | undefined
  if (!pin) throw usage('Nothing is pinned for this deployment', 'svc init, or svc trust --fingerprint FINGERPRINT')
  const chosen = chosenWitnesses(given, pin, context.environment.now())
  if (chosen !== undefined && !context.options.dryRun) await trustStore?.set(WITNESSES, chosen)
  const compared = (await trustStore?.get(COMPARED)) as string | undefined
  const witnesses = chosen ?? ((await trustStore?.get(WITNESSES)) as WitnessPolicy | null | undefined)
  return shown(context, profile.core, { pin, compared, witnesses: witnesses ?? null })
}

/** The policy that the options name; null to demand none, and undefined if they say nothing of it. */
function chosenWitnesses(given: Given, { list }: Pin, now: number): WitnessPolicy | null | undefined {
  const named = listOf(given, 'witness')
  const typed = option(given, 'threshold')
  // Commander's way to say `--no-witnesses`.
  if (given.options['witnesses'] === false) return null
  const proposed = flag(given, 'proposed') ? list?.statement.witnesses : undefined
  if (!proposed && named.length === 0) {
    if (typed === undefined) return undefined
    throw usage('--threshold says how many of the witnesses', 'add --proposed, or --witness with their keys')
  }
  const counting = (proposed?.keys ?? []).filter(
    ({ validFrom, validUntil }) => validFrom <= now && (validUntil === null || now < validUntil),
  )
  const publicKeysB64u = [...new Set([...counting.map(({ publicKeyB64u }) => publicKeyB64u), ...named])]
  const threshold = typed === undefined ? Math.max(proposed?.threshold ?? 0, 1) : Number(typed)
  const isPossible = Number.isInteger(threshold) && threshold >= 1 && threshold <= publicKeysB64u.length
  if (isPossible && named.every((key) => PUBLIC_KEY.test(key))) return { threshold, publicKeysB64u }
  throw usage(
    `${typed ?? threshold} of ${publicKeysB64u.length} witnesses cannot agree`,
    'pass ML-DSA-65 public keys in base64url, and a threshold from 1 to their number',
  )
}

/**
 * Keys that the pinned ones lead to need no other pin. Others replace them only by the whole fingerprint: otherwise a
 * server that lost or changed its list could introduce keys of its own.
 */
async function repin(context: Context, connection: ConnectOptions, fingerprint: string): Promise<void> {
  const { Client } = await import('#client')
  const { trustStore, ...unpinned } = connection
  const found = await Client.connect({ ...connection, fingerprint }).catch(async (error: unknown) => {
    if (!isOfList(error) || !(await trustStore?.get(PIN))) throw error
    const other = await Client.connect({ ...unpinned, fingerprint })
    await context.confirm(
      'The pinned keys do not lead to the list with this fingerprint. Pin the keys with it instead?',
    )
    return other
  })
  if (context.options.dryRun || !found.discovery) return
  await trustStore?.set(PIN, found.discovery.pin)
  await keepCompared(connection, found.discovery)
  await keepLogs(found, connection)
}

/** Remembers that somebody compared the keys, and which. */
export async function keepCompared({ trustStore }: ConnectOptions, { fingerprint }: Discovery): Promise<void> {
  await trustStore?.set(COMPARED, fingerprint)
}

/** The list is not the one that the pinned keys lead to, or has other keys than the caller expects. */
function isOfList(error: unknown): boolean {
  const { subject, reason } = Object(error) as { subject?: unknown; reason?: unknown }
  return subject === 'logs' || (subject === 'discovery' && reason === 'wrong_fingerprint')
}

interface Kept {
  readonly pin: Pin
  readonly compared: string | undefined
  /** Those that the person demands. */
  readonly witnesses: WitnessPolicy | null
}

async function shown({ output }: Context, core: string, { pin, compared, witnesses: demanded }: Kept): Promise<Result> {
  const { listFingerprint } = await import('#client/functions')
  const list = pin.list?.statement ?? null
  const keys = list?.keys ?? pin.logListKeys
  const fingerprint = keys && listFingerprint(keys)
  const isCompared = fingerprint !== null && compared === fingerprint
  const { realm, formerRealms } = pin
  const listed = list?.witnesses ?? { threshold: 0, keys: [] }
  const proposed = listed.keys.map(({ publicKeyB64u, validFrom, validUntil }) => {
    return { publicKeyB64u, validFrom, validUntil }
  })
  const { green, yellow } = output.colours
  return {
    data: {
      core,
      realm,
      formerRealms,
      fingerprint,
      isCompared,
      threshold: keys?.threshold ?? 0,
      keys: keys?.publicKeysB64u ?? [],
      version: list?.version ?? null,
      validUntil: list?.validUntil ?? null,
      witnesses: demanded,
      proposedWitnesses: { threshold: listed.threshold, keys: proposed },
    },
    text: [
      `core         ${core}`,
      `realm        ${realm}`,
      `fingerprint  ${fingerprint ?? 'none: the deployment has no signed list'}`,
      isCompared
        ? green('compared     yes')
        : `${yellow('compared     no')}: ask the operator for it another way, then svc trust --fingerprint FINGERPRINT`,
      ...(keys ? [`keys         ${keys.threshold} of ${keys.publicKeysB64u.length} sign the list`] : []),
      ...(list ? [`list         version ${list.version}, until ${new Date(list.validUntil).toISOString()}`] : []),
      ...(proposed.length === 0
        ? []
        : [
            `proposed     ${listed.threshold} of ${proposed.length} witnesses:`,
            ...proposed.map(({ publicKeyB64u }) => `             ${publicKeyB64u.slice(0, 43)}…`),
          ]),
      demanded === null
        ? 'witnesses    none are demanded: svc trust --proposed, or --witness with keys that you know'
        : `witnesses    ${demanded.threshold} of ${demanded.publicKeysB64u.length} are demanded`,
    ],
  }
}
