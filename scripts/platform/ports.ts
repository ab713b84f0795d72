import { createServer, type Server } from 'node:net'
import { wholeNumber } from './entry.ts'
import { gatewayPortOf, portOf, SetupError, WORKER_NAMES } from './workspace.ts'

const LOWEST_PORT_BASE = 1024
const HIGHEST_PORT_BASE = 65_535 - gatewayPortOf(0)

/** Reads the option `--port-base`. */
export function readPortBase(text: string): number {
  return wholeNumber('--port-base', text, { from: LOWEST_PORT_BASE, to: HIGHEST_PORT_BASE })
}

// The ports from 1024 up that browsers and Node's fetch block (Fetch Standard, "port blocking").
const REFUSED_BY_FETCH = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

export async function requireFreePorts(portBase: number): Promise<void> {
  for (const { name, port } of portsFrom(portBase)) {
    const refusal = await tryListen(port)
    if (refusal === undefined) continue
    const fault = FAULTS[refusal] ?? `cannot be opened (${refusal})`
    throw new SetupError(
      `Port ${port} ${fault}, and ${name} needs it: choose other ports, for example with --port-base ${await findFreePortBase(18_787)}.`,
    )
  }
}

/** The ports of the eight Workers and the gateway. */
function portsFrom(portBase: number): { name: string; port: number }[] {
  const workers = WORKER_NAMES.map((name) => ({ name, port: portOf(name, portBase) }))
  return [...workers, { name: 'the IPFS gateway', port: gatewayPortOf(portBase) }]
}

/** The first nine consecutive free ports from `from` on. */
export async function findFreePortBase(from: number): Promise<number> {
  for (let base = from; base <= HIGHEST_PORT_BASE; base += 10) {
    const refusals = await Promise.all(portsFrom(base).map(({ port }) => tryListen(port)))
    if (refusals.every((refusal) => refusal === undefined)) return base
  }
  throw new SetupError('No nine consecutive free ports were found: stop some programs that listen, then start again.')
}

/** Below the ports that the system gives to connections, one of which could take a port between its choice and its use. */
const RESERVABLE = { from: 20_000, blocks: 500, size: 20 }

/** The first of ten ports that are this process's until it ends: nine for a platform and the next one for a site. */
export async function reservePortBase(): Promise<number> {
  const { from, blocks, size } = RESERVABLE
  const start = Math.floor(Math.random() * blocks)
  for (let tried = 0; tried < blocks; tried += 1) {
    const base = from + size * ((start + tried) % blocks)
    const used = [...portsFrom(base).map(({ port }) => port), sitePortOf(base)]
    const holder = await listenOn(base + size - 1)
    if (typeof holder === 'string') continue
    const refusals = await Promise.all(used.map(tryListen))
    if (refusals.every((refusal) => refusal === undefined)) return base
    holder.close()
  }
  throw new SetupError('No ten consecutive free ports were found: stop some programs that listen, then start again.')
}

export function sitePortOf(portBase: number): number {
  return gatewayPortOf(portBase) + 1
}

const FAULTS: Record<string, string> = {
  EADDRINUSE: 'is in use',
  EACCES: 'requires privileges that this user lacks',
  BLOCKED: 'is blocked by browsers',
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
