import type { ConnectOptions, Discovery, Pin } from '#client'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { type Given, option, type Result } from '../result.ts'
import { COMPARED, keepLogs, PIN } from '../verify/known-keys.ts'

/** Shows the pin, which asks nobody; with a fingerprint, pins the keys of the list that have it. */
export async function trust(context: Context, given: Given): Promise<Result> {
  const profile = await context.profile()
  const connection = await context.connectionTo(profile)
  const fingerprint = option(given, 'fingerprint')
  if (fingerprint !== undefined) await repin(context, connection, fingerprint)
  const { trustStore } = connection
  const pin = (await trustStore?.get(PIN)) as Pin | undefined
  if (!pin) throw usage('Nothing is pinned for this deployment', 'svc init, or svc trust --fingerprint FINGERPRINT')
  return shown(context, profile.core, pin, (await trustStore?.get(COMPARED)) as string | undefined)
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

async function shown({ output }: Context, core: string, pin: Pin, compared: string | undefined): Promise<Result> {
  const { listFingerprint } = await import('#client/functions')
  const list = pin.list?.statement ?? null
  const keys = list?.keys ?? pin.logListKeys
  const fingerprint = keys && listFingerprint(keys)
  const isCompared = fingerprint !== null && compared === fingerprint
  const { realm, formerRealms } = pin
  const witnesses = list?.witnesses ?? { threshold: 0, keys: [] }
  const proposed = witnesses.keys.map(({ publicKeyB64u, validFrom, validUntil }) => {
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
      proposedWitnesses: { threshold: witnesses.threshold, keys: proposed },
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
            `witnesses    ${witnesses.threshold} of ${proposed.length} are proposed; svc trusts those that you pin:`,
            ...proposed.map(({ publicKeyB64u }) => `             ${publicKeyB64u.slice(0, 43)}…`),
          ]),
    ],
  }
}
