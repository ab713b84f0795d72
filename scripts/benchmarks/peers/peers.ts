import { execFileSync } from 'node:child_process'
import type { Platform } from '@svc/platform'
import type { Measured } from '../figures/figure.ts'
import { type DatabaseServer, startPostgres, startRedis } from './databases.ts'
import { compareDocuments } from './documents.ts'
import { compareIdentities } from './identities.ts'
import { installPeers } from './install.ts'
import { compareLimits } from './limits.ts'
import { PeerUnavailable } from './peer.ts'
import type { Lines, Scene } from './scene.ts'
import { compareSearch } from './search.ts'
import { compareSignIn } from './sign-in.ts'
import { compareVectors } from './vectors.ts'

const COMPARISONS: Readonly<Record<string, (scene: Scene) => Promise<Lines>>> = {
  'did-plc/server': compareIdentities,
  'better-auth, serenity, simplewebauthn': compareSignIn,
  'rate-limiter-flexible': compareLimits,
  usearch: compareVectors,
  pg_trgm: compareSearch,
  PouchDB: compareDocuments,
}

/** The platform beside what people would use instead, on the same machine and in turn. */
export async function measurePeers(platform: Platform): Promise<Measured> {
  const programs = await installPeers()
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  if (postgres) for (const name of ['plc', 'passwords', 'limits', 'texts']) createDatabase(postgres, name)
  try {
    const parts: Lines[] = []
    for (const [name, comparison] of Object.entries(COMPARISONS)) {
      console.error(`  ${name} …`)
      parts.push(await comparison({ platform, programs, postgres, redis }).catch(leftOut(name)))
    }
    const skipped = parts.flatMap((part) => part.skipped)
    return {
      figures: parts.flatMap(({ figures }) => figures),
      table: {
        title: ['Beside others', ...skipped.map((why) => `not measured: ${why}`)].join('\n'),
        columns: ['work', 'theirs', 'ours', 'ours / theirs', 'not equal'],
        rows: parts.flatMap(({ rows }) => rows),
      },
    }
  } finally {
    postgres?.stop()
    redis?.stop()
  }
}

/** Only a peer that cannot be run: a fault of the platform, or of a peer that runs, ends the benchmark. */
const leftOut =
  (name: string) =>
  (error: unknown): Lines => {
    if (error instanceof PeerUnavailable) return { rows: [], figures: [], skipped: [`${name}: ${error.message}`] }
    throw error
  }

function createDatabase({ port }: DatabaseServer, name: string): void {
  execFileSync('psql', [
    '-h',
    '127.0.0.1',
    '-p',
    String(port),
    '-U',
    'svc',
    '-q',
    '-c',
    `CREATE DATABASE ${name}`,
    'postgres',
  ])
}
