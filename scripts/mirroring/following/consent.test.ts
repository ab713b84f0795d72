import { readFileSync } from 'node:fs'
import { identifierHash } from '@svc/protocol/consent/identifiers'
import type { SnapshotPage } from '@svc/protocol/consent/snapshot'
import { describe, expect, it } from 'vitest'
import { FakeDeployment } from '../deployment.fixture.ts'
import { BUCKET, CONSENT_HASH, CREATOR, DECLARED, statePath } from '../signed-parts.fixture.ts'
import { followed } from './followed.fixture.ts'

const HOUR = 3_600_000

describe('consent', () => {
  it('is kept as of the newest snapshot', async () => {
    const deployment = await FakeDeployment.create()
    const { store, later } = await followed(deployment)
    const kept = () =>
      store
        .all('SELECT page FROM pages WHERE bucket = ?', BUCKET)
        .flatMap(({ page }) => (JSON.parse(String(page)) as SnapshotPage).entries.map(({ preferences }) => preferences))
    expect(kept()).toEqual([DECLARED])
    deployment.declared = { ai_training: 'allow' }
    await later(HOUR)
    expect(kept()).toEqual([{ ai_training: 'allow' }])
    deployment.declared = null
    await later(2 * HOUR)
    expect(kept()).toEqual([])
  })

  it('names neither content nor creators in the state of a mirror, and no record is asked for', async () => {
    const deployment = await FakeDeployment.create()
    const path = statePath()
    const { store } = await followed(deployment, path)
    store.close()
    const state = [path, `${path}-wal`].map((file) => readIfThere(file)).join('')
    expect(state).toContain(identifierHash(CONSENT_HASH))
    for (const name of [CONSENT_HASH, CREATOR]) expect(state).not.toContain(name)
    expect(new Set(deployment.asked.filter((asked) => asked.startsWith('/api/v1/consent/')))).toEqual(
      new Set(['/api/v1/consent/snapshot']),
    )
  })
})

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
