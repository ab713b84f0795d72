import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeDescription } from '@svc/platform/documented/description'
import type { WorkerName } from '@svc/platform/workspace'
import { afterAll, expect, it } from 'vitest'
import { committedConfigs } from '../account.ts'
import { assetFaults, buildAssets } from './static-assets.ts'

const root = mkdtempSync(join(tmpdir(), 'static-assets-'))
afterAll(() => rmSync(root, { recursive: true }))

const assets = { directory: 'dist', binding: 'API_DESCRIPTION' }
const core = (own: { readonly assets?: typeof assets }) => new Map([['core' as const, { name: 'svc-core', ...own }]])

it('finds nothing wrong with what a build writes for each Worker', () => {
  const configs = committedConfigs()
  for (const [worker, config] of configs) writeDescription(worker, join(root, worker, config.assets?.directory ?? ''))
  expect(assetFaults(configs, root)).toEqual([])
})

it('refuses a Worker without static assets', () => {
  expect(assetFaults(core({}), root)).toEqual([
    'svc-core: binds no static assets, which have the description of its API',
  ])
})

it.each(['openapi.json', 'openapi.md'])('refuses core without %s, or with an empty one', (file) => {
  const folder = join(root, 'core/dist')
  const lacking = ['svc-core: dist lacks the description of its API']
  writeDescription('core', folder)
  expect(assetFaults(core({ assets }), root)).toEqual([])
  writeFileSync(join(folder, file), '')
  expect(assetFaults(core({ assets }), root)).toEqual(lacking)
  rmSync(join(folder, file))
  expect(assetFaults(core({ assets }), root)).toEqual(lacking)
})

it('stops where a description cannot be made', async () => {
  const unknown = new Map([['nobody' as WorkerName, { name: 'svc-nobody' }]])
  await expect(buildAssets(unknown)).rejects.toThrow('No Worker is named nobody')
})
