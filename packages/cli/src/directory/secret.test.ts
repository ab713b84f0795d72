import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import type { Context } from '../context.ts'
import { PrekeySecrets } from './secret.ts'

const data = mkdtempSync(join(tmpdir(), 'svc-prekeys-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

it('two programs that change the seeds at once keep both changes', async () => {
  const secrets = () => new PrekeySecrets({ folders: { data } } as Context, 'device', 'correct horse battery staple')
  const add = (id: string) =>
    secrets().change(async (kept) => {
      await sleep(50)
      return { ...kept, [id]: 'seed' }
    })
  await Promise.all([add('one'), add('two')])
  let seeds: object = {}
  await secrets().change(async (kept) => {
    seeds = kept
    return null
  })
  expect(seeds).toEqual({ one: 'seed', two: 'seed' })
}, 60_000)
