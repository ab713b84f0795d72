import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, it } from 'vitest'
import { buildPackages } from './build.ts'
import { PUBLISHING } from './publishing.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-publishing-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Published {
  readonly name: string
  readonly repository: { readonly url: string; readonly directory: string }
}

const manifestIn = (one: string) => JSON.parse(readFileSync(join(one, 'package.json'), 'utf8')) as Published

it('says where the packages come from', () => {
  for (const built of inject('built')) {
    const { repository } = PUBLISHING
    const directory = built.name.replace('@svc/', 'packages/')
    expect(manifestIn(built.folder)).toMatchObject({
      homepage: `${repository}#readme`,
      bugs: { url: `${repository}/issues` },
      repository: { type: 'git', url: `git+${repository}.git`, directory },
      publishConfig: { access: 'public', provenance: true },
    })
  }
})

it('publishes under another scope by one setting', async () => {
  const built = await buildPackages(folder, { scope: '@acme', repository: 'https://git.example/acme/identity' })
  expect(built.map(({ name }) => name)).toEqual(['@acme/fingerprint', '@acme/client', '@acme/cli'])
  for (const { folder: one, name } of built) {
    expect(manifestIn(one)).toMatchObject({ name, repository: { url: 'git+https://git.example/acme/identity.git' } })
    const readme = readFileSync(join(one, 'README.md'), 'utf8')
    expect(readme).toContain(name)
    expect(readme).not.toContain('@svc/')
  }
})
