import { createServer, type Server } from 'node:net'
import { wholeNumber } from './entry.ts'
import {
  consolePortOf,
  DEFAULT_CONSOLE_PORT,
  gatewayPortOf,
  identityProviderPortOf,
  portOf,
  SetupError,
  sitePortOf,
  WORKER_NAMES,
  witnessPortOf,
} from './workspace.ts'

export { sitePortOf } from './workspace.ts'

const LOWEST_PORT = 1024
const HIGHEST_PORT = 65_535
const HIGHEST_PORT_BASE = HIGHEST_PORT - witnessPortOf(0)

/** Reads the option `--port-base`. */
export function readPortBase(text: string): number {
  return wholeNumber('--port-base', text, { from: LOWEST_PORT, to: HIGHEST_PORT_BASE })
}

/** Reads the option `--console-port`. */
export function readConsolePort(text: string): number {
  return wholeNumber('--console-port', text, { from: LOWEST_PORT, to: HIGHEST_PORT })
}

// The ports from 1024 up that browsers and Node's fetch block (Fetch Standard, "port blocking").
const REFUSED_BY_FETCH = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

export async function requireFreePorts(portBase: number, consolePort = consolePortOf(portBase)): Promise<void> {
  const own = portsFrom(portBase)
  const taken = own.find(({ port }) => port === consolePort)
  if (taken) throw new SetupError(`Port ${consolePort} is for ${taken.name}: choose another one with --console-port.`)
  for (const { name, port } of own) {
    const fault = await faultOf(port)
    if (fault === undefined) continue
    throw new SetupError(
      `Port ${port} ${fault}, and ${name} needs it: choose other ports, for example with --port-base ${await findFreePortBase(18_787)}.`,
    )
  }
  const fault = await faultOf(consolePort)
  if (fault === undefined) return
  throw new SetupError(
    `Port ${consolePort} ${fault}, and the console needs it: choose another port, for example with --console-port ${await findFreePort(DEFAULT_CONSOLE_PORT + 1)}.`,
  )
}

/** The ports of the eight Workers, the gateway, the identity providers and the witness. */
function portsFrom(portBase: number): { name: string; port: number }[] {
  const workers = WORKER_NAMES.map((name) => ({ name, port: portOf(name, portBase) }))
  return [
    ...workers,
    { name: 'the IPFS gateway', port: gatewayPortOf(portBase) },
    { name: 'the identity providers', port: identityProviderPortOf(portBase) },
    { name: 'the witness', port: witnessPortOf(portBase) },
  ]
}

/** The first base from `from` on whose ports are all free, the console's too. */
export async function findFreePortBase(from: number): Promise<number> {
  for (let base = from; base <= HIGHEST_PORT_BASE; base += RESERVABLE.size) {
    const ports = [...portsFrom(base).map(({ port }) => port), consolePortOf(base)]
    const refusals = await Promise.all(ports.map(tryListen))
    if (refusals.every((refusal) => refusal === undefined)) return base
  }
  throw new SetupError(
    'No thirteen consecutive free ports were found: stop some programs that listen, then start again.',
  )
}

async function findFreePort(from: number): Promise<number> {
  for (let port = from; port <= HIGHEST_PORT; port += 1) if ((await tryListen(port)) === undefined) return port
  throw new SetupError('No free port was found: stop some programs that listen, then start again.')
}

/** Below the ports that the system gives to connections, one of which could take a port between its choice and its use. */
const RESERVABLE = { from: 20_000, blocks: 500, size: 20 }

/** The first of thirteen ports that are this process's until it ends: twelve for a platform and one for a site. */
export async function reservePortBase(): Promise<number> {
  const { from, blocks, size } = RESERVABLE
  const start = Math.floor(Math.random() * blocks)
  for (let tried = 0; tried < blocks; tried += 1) {
    const base = from + size * ((start + tried) % blocks)
    const used = [...portsFrom(base).map(({ port }) => port), sitePortOf(base), consolePortOf(base)]
    const holder = await listenOn(base + size - 1)
    if (typeof holder === 'string') continue
    const refusals = await Promise.all(used.map(tryListen))
    if (refusals.every((refusal) => refusal === undefined)) return base
    holder.close()
  }
  throw new SetupError(
    'No thirteen consecutive free ports were found: stop some programs that listen, then start again.',
  )
}

const FAULTS: Record<string, string> = {
  EADDRINUSE: 'is in use',
  EACCES: 'requires privileges that this user lacks',
  BLOCKED: 'is blocked by browsers',
}

/** Why a port cannot be used. */
async function faultOf(port: number): Promise<string | undefined> {
  const refusal = await tryListen(port)
  return refusal === undefined ? undefined : (FAULTS[refusal] ?? `cannot be opened (${refusal})`)
}

async function tryListen(port: number): Promise<string | undefined> {
  const server = await listenOn(port)
  if (typeof server === 'string') return server
  return new Promise((resolve) => server.close(() => resolve(undefined)))
}

/** A server on this port that doesn't keep the process alive, or why there is none. */
function listenOn(port: number): Promise<Server | string> {
  if (REFUSED_BY_FETCH.has(port)) return Promise.resolve('BLOCKED')
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server.unref()))
  })
}
