import type { Client, Discovery } from '#client'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { failureOf } from '../failures.ts'
import type { Result } from '../result.ts'
import { VERSION } from '../version.ts'

/** Core accepts assertions that are two minutes off; half of it is worth a warning. */
const WARN_SKEW_MS = 60_000
const MAX_SKEW_MS = 120_000
const MIN_NODE = 22
/** An answer about its health takes a service some milliseconds, and the network at most some hundred. */
const SLOW_MS = 2_000
const MAX_WAIT_MS = 10_000
/** Where every other command says to run this one. */
const CHECK_ADDRESS = 'check the address that svc whoami shows, and whether the deployment runs'

type State = 'ok' | 'warning' | 'failed'

interface Check {
  readonly name: string
  readonly state: State
  readonly found: string
  /** What to do; null if nothing is wrong. */
  readonly next: string | null
  readonly exitCode: ExitCode
}

const ok = (name: string, found: string): Check => ({ name, state: 'ok', found, next: null, exitCode: EXIT.ok })
const warning = (name: string, found: string, next: string): Check => ({ ...ok(name, found), state: 'warning', next })

/** Everything that can be checked without opening a key. Goes on after a failure. */
export async function doctor(context: Context): Promise<Result> {
  const checks = [ok('svc', VERSION), node(), await keychain(context), await keys(context)]
  const client = await checked('deployment', () => context.client('nobody'))
  if ('state' in client) checks.push(client)
  else checks.push(...(await deployment(context, client)))
  const worst = checks.find(({ state }) => state === 'failed')
  const { green, yellow, red } = context.output.colours
  const marks = { ok: green('ok'), warning: yellow('warning'), failed: red('failed') }
  return {
    data: {
      ok: worst === undefined,
      checks: checks.map(({ name, state, found, next }) => ({ name, state, found, next })),
    },
    text: checks.flatMap(({ name, state, found, next }) => [
      `${marks[state]}  ${name}: ${found}`,
      ...(next === null ? [] : [`    Next: ${next}`]),
    ]),
    exitCode: worst?.exitCode ?? EXIT.ok,
  }
}

function node(): Check {
  const { node: version } = process.versions
  if (Number.parseInt(version, 10) >= MIN_NODE) return ok('node', version)
  return warning('node', version, `install Node.js ${MIN_NODE} or newer`)
}

async function keychain({ environment }: Context): Promise<Check> {
  return ok(
    'keychain',
    (await environment.keychain()) ? 'answers; --keychain keeps passphrases there' : 'none; passphrases are asked for',
  )
}

async function keys(context: Context): Promise<Check> {
  const profile = await context.profile().catch(() => null)
  if (!profile) return warning('identity', 'no profile', 'svc init --core https://core.example')
  const { did, signer } = profile
  if (signer) return ok('identity', `${did}, held by ${signer[0]}`)
  if (did === null) return warning('identity', 'none', 'svc id new')
  if (await context.keys.has(did)) return ok('identity', `${did}, key file on this machine`)
  return warning('identity', `${did}, without its keys`, 'svc id import FILE')
}

async function deployment(context: Context, client: Client): Promise<Check[]> {
  const { discovery } = client
  const parts = [
    checked('clock', async () => clock(context, client)),
    ...(await joined(context, client)),
    ...(discovery ? [pinned(discovery), ...services(context, discovery)] : []),
  ]
  return Promise.all(parts)
}

/** A rotation ends devices, and does not tell them. */
async function joined(context: Context, client: Client): Promise<Promise<Check>[]> {
  const profile = await context.profile().catch(() => null)
  if (!profile?.did || !profile.device) return []
  const { did, device } = profile
  const look = async (): Promise<Check> => {
    const epoch = (await client.keyHistory.of(did)).at(-1)?.epoch ?? 0
    if (epoch === device.epoch) return ok('device', `${device.deviceId}, under the root key of now`)
    const found = `${device.deviceId} has ended: the root key was replaced since it joined`
    const next = 'svc device pair where the root key is, then svc device join with its link here'
    return { name: 'device', state: 'failed', found, next, exitCode: EXIT.refused }
  }
  return [checked('device', look)]
}

/** The time in the answer lies between sending and receiving, so half of that is uncertain. */
async function clock({ environment }: Context, client: Client): Promise<Check> {
  const before = environment.now()
  const { timestamp, version } = await client.health()
  const after = environment.now()
  const skew = Math.round(timestamp - (before + after) / 2)
  const uncertain = Math.ceil((after - before) / 2)
  const found = `${skew >= 0 ? '+' : ''}${skew} ms at core (± ${uncertain} ms), version ${version}`
  if (Math.abs(skew) - uncertain < WARN_SKEW_MS) return ok('clock', found)
  const next = 'set the clock of this machine, such as with timedatectl set-ntp true'
  if (Math.abs(skew) - uncertain < MAX_SKEW_MS) return warning('clock', found, next)
  return { name: 'clock', state: 'failed', found, next, exitCode: EXIT.refused }
}

async function pinned({ trust, document, fingerprint, unlisted }: Discovery): Promise<Check> {
  if (unlisted.length > 0) {
    const names = unlisted.map(({ service, use }) => `${service} ${use}`).join(', ')
    return warning('keys', `keys that the signed list does not have: ${names}`, 'tell the operator')
  }
  const current = document.keys.filter(({ state }) => state === 'current').length
  const soon = document.keys.filter(({ state }) => state === 'next').map(({ service, use }) => `${service} ${use}`)
  const announced = soon.length === 0 ? '' : `; next for ${soon.join(', ')}`
  const found = `${current} in use${announced}; ${trust === 'given' ? 'as pinned' : 'seen for the first time, now pinned'}${fingerprint === null ? '' : `; fingerprint ${fingerprint}`}`
  return ok('keys', found)
}

function services(context: Context, { document }: Discovery): Promise<Check>[] {
  return Object.entries(document.services).map(([name, { url }]) =>
    checked(`service ${name}`, async () => {
      const [{ Transport }, { readAnyJson }] = await Promise.all([import('#client'), import('#client/functions')])
      const { fetch } = context.environment
      const patience = { retries: false, timeoutMs: MAX_WAIT_MS } as const
      const transport = new Transport({ realm: document.realm, ...patience, ...(fetch && { fetch }) })
      const begun = performance.now()
      const response = await transport.exchange({ method: 'GET', url: `${url}/health` })
      const next = 'try again later; ask the operator if it lasts'
      if (response.ok) {
        const found = `${url}, ${versionIn(await readAnyJson(response))}`
        const seconds = (performance.now() - begun) / 1000
        if (seconds * 1000 < SLOW_MS) return ok(`service ${name}`, found)
        return warning(`service ${name}`, `${found}, answers after ${seconds.toFixed(1)} s`, next)
      }
      await response.body?.cancel()
      return {
        name: `service ${name}`,
        state: 'failed',
        found: `${url} answers ${response.status}`,
        next,
        exitCode: EXIT.unreachable,
      }
    }),
  )
}

/** Core has it in the envelope of its answers. */
function versionIn(answer: unknown): string {
  const { version, data } = Object(answer) as { version?: unknown; data?: unknown }
  const told = version ?? (Object(data) as { version?: unknown }).version
  return typeof told === 'string' ? `version ${told}` : 'which does not tell its version'
}

/** A failure becomes a line of the report. */
async function checked<T>(name: string, check: () => Promise<T>): Promise<T | Check> {
  try {
    return await check()
  } catch (error) {
    const { message, next, exitCode } = await failureOf(error, '')
    const isUnreachable = exitCode === EXIT.unreachable
    return { name, state: 'failed', found: message, next: isUnreachable ? CHECK_ADDRESS : next, exitCode }
  }
}
