import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlatform } from '@svc/platform'
import { reservePortBase } from '@svc/platform/ports'
import { expect, it } from 'vitest'
import { tour } from './tour.ts'
import { inFront } from './two-releases.ts'

/** One release at the public ports, with the entrypoints and objects of the other behind it. */
async function tourWith(front: 'now' | 'before'): Promise<Record<string, string | null>> {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-two-releases-'))
  const platform = await startPlatform({
    portBase: await reservePortBase(),
    stateDir,
    onLog: () => {},
    arrange: (workers) => inFront(workers, front),
  })
  try {
    return Object.fromEntries(await tour(platform))
  } finally {
    await platform.stop()
    rmSync(stateDir, { recursive: true, force: true })
  }
}

const WORKS = {
  'chain, notes, key scope, nonces, standing, consent, capsules, DID': null,
  'four identities': null,
  'core: an anchor enters its log': null,
  'keys: a device publishes prekeys, and another identity reserves one': null,
  'pay: core redeems a code, and quota is consumed': null,
  'did: an organization with a plan binds a member': null,
  'core: owners read their events': null,
  'provenance: a signature of a stranger is verified once': null,
}

it('serves with the Workers of now, and the entrypoints and objects of the previous release', async () => {
  expect(await tourWith('now')).toEqual(WORKS)
}, 600_000)

it('serves with the Workers of the previous release, and the entrypoints and objects of now', async () => {
  expect(await tourWith('before')).toEqual(WORKS)
}, 600_000)
