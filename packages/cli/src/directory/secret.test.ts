import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { secretOf } from '@svc/client/text'
import { afterAll, expect, it } from 'vitest'
import type { Context } from '../context.ts'
import { PrekeySecrets } from './secret.ts'

const PASSPHRASE = secretOf('correct horse battery staple')
/** Nobody guesses here, and each guess would take seconds. */
const CHEAP = 4
const data = mkdtempSync(join(tmpdir(), 'svc-prekeys-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

it('two programs that add seeds at once keep both, and each seed is taken once', async () => {
  const program = () => new PrekeySecrets({ folders: { data } } as Context, 'device', PASSPHRASE, CHEAP)
  await Promise.all([program().add({ one: 'first seed' }), program().add({ two: 'second seed' })])
  const taken: string[] = []
  const take = () => program().take('one', async (seed) => void taken.push(seed))
  expect((await Promise.all([take(), take()])).toSorted()).toEqual([false, true])
  expect(taken).toEqual(['first seed'])
  expect(await program().has('two')).toBe(true)
})
