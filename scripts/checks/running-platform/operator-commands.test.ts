/** The acts of `scripts/admin`, typed as an operator types them. What they do has tests beside the services. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Identity } from '@svc/client'
import { capture } from '@svc/platform/command'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { ROOT } from '@svc/platform/workspace'
import { afterAll, expect, it } from 'vitest'

const { urls, secrets } = sharedPlatform()
const folder = mkdtempSync(join(tmpdir(), 'svc-operator-'))
afterAll(() => rmSync(folder, { recursive: true }))

const seedFile = join(folder, 'seed')
writeFileSync(seedFile, Buffer.from(secrets.operatorSeed).toString('hex'), { mode: 0o600 })
const services = (['core', 'provenance', 'consent', 'keys', 'pay'] as const).flatMap((name) => [
  `--${name}`,
  urls[name],
])
const { did } = await Identity.create()

async function admin(words: string): Promise<{ code: number; output: string }> {
  const args = [...words.split(' '), ...services, '--origin', 'http://localhost:3000']
  return capture(join(ROOT, 'scripts/admin'), args, { OPERATOR_SEED_FILE: seedFile })
}

it('issues a code that is shown once, and withdraws it', async () => {
  const issued = await admin('code atelier 30')
  expect(issued.code, issued.output).toBe(0)
  const code = issued.output.trim().split('\n').at(-1) ?? ''
  const withdrawn = await admin(`withdraw-code ${code}`)
  expect(withdrawn.code, withdrawn.output).toBe(0)
  expect(withdrawn.output).not.toContain(code)
})

it('gives an identity a tier, lists it, and ends it', async () => {
  expect((await admin(`grant-licence ${did} atelier 30`)).code).toBe(0)
  const listed = await admin(`grants list ${did}`)
  const [, id = ''] = /"id": "([^"]+)"/.exec(listed.output) ?? []
  const ended = await admin(`end-grant ${id} mistake`)
  expect(ended.code, ended.output).toBe(0)
  expect((await admin(`revoke-licence ${did}`)).code).toBe(0)
})

it.each(['invites list', 'takedowns list core', 'takedowns list provenance', 'disputes list', 'dead-letters'])(
  '%s answers',
  async (words) => {
    const { code, output } = await admin(words)
    expect(code, output).toBe(0)
  },
)

it.each(['withdraw-epoch 999999999', `reindex-chain did:svc:${'A'.repeat(32)}`])(
  '%s says that there is no such record',
  async (words) => {
    const { code, output } = await admin(words)
    expect(code).toBe(1)
    expect(output).toContain('not_found')
  },
)
