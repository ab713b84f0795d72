import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reservePortBase } from '@svc/platform/ports'
import { processorMs } from '../figures/processor-time.ts'

/** A database server on a folder of its own. */
export interface DatabaseServer {
  readonly port: number
  readonly processorMs: () => number
  readonly stop: () => void
}

/** Undefined if PostgreSQL is not installed. Everything is on disk before a commit is acknowledged, as it comes. */
export async function startPostgres(): Promise<DatabaseServer | undefined> {
  const bin = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1) ?? folderOf('postgres')
  if (bin === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'peers-postgres-'))
  // It refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'svc', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'], {
    ...owner,
    stdio: 'ignore',
  })
  const port = await reservePortBase()
  const args = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1']
  return started(spawn(join(bin, 'postgres'), args, { ...owner, stdio: 'ignore' }), port, folder)
}

export const urlOf = ({ port }: DatabaseServer, database: string) => `postgresql://svc@127.0.0.1:${port}/${database}`

/** Undefined if Redis is not installed. It writes its log to disk once a second, as it comes with `appendonly`. */
export async function startRedis(): Promise<DatabaseServer | undefined> {
  const bin = folderOf('redis-server')
  if (bin === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'peers-redis-'))
  const port = await reservePortBase()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes', '--save', '']
  return started(spawn(join(bin, 'redis-server'), args, { stdio: 'ignore' }), port, folder)
}

async function started(child: ChildProcess, port: number, folder: string): Promise<DatabaseServer> {
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries === 100 || child.exitCode !== null) throw new Error(`${child.spawnfile} did not start`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    port,
    processorMs: () => (child.pid === undefined ? Number.NaN : processorMs([child.pid])),
    stop: () => {
      // SIGQUIT: at once, with all processes of PostgreSQL.
      child.kill(child.spawnfile.endsWith('postgres') ? 'SIGQUIT' : 'SIGKILL')
      child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    },
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** The folder in PATH that has a program. */
function folderOf(program: string): string | undefined {
  return (process.env['PATH'] ?? '').split(':').find((folder) => folder !== '' && existsSync(join(folder, program)))
}

const idOf = (option: '-u' | '-g') => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
