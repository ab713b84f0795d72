import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT } from '@svc/platform/workspace'
import { afterAll, expect, inject, it } from 'vitest'
import { LocalRegistry } from './local-registry.ts'

const home = mkdtempSync(join(tmpdir(), 'svc-from-clone-'))
afterAll(() => rmSync(home, { recursive: true }))

it('installs from a clone as the page says', async () => {
  const page = readFileSync(join(ROOT, 'workers/docs/pages/developer/sdk.md'), 'utf8')
  const [, commands = ''] = /^```sh packages\n(.+?)^```$/ms.exec(page) ?? []
  expect(commands).toContain('npm install')
  symlinkSync(ROOT, join(home, 'svc'))
  const application = join(home, 'application')
  mkdirSync(application)
  writeFileSync(join(application, 'package.json'), '{ "private": true, "type": "module" }\n')
  const registry = await LocalRegistry.start(inject('built'))
  try {
    const env = { HOME: home, npm_config_registry: registry.url, npm_config_cache: join(home, 'cache') }
    const { code, output } = await capture('sh', ['-eu', '-c', `cd '${application}'\n${commands}`], env)
    expect(code, output).toBe(0)
  } finally {
    await registry.stop()
  }
  expect(existsSync(join(application, 'node_modules/@svc/client/dist/client/src/index.js'))).toBe(true)
  expect(existsSync(join(application, 'node_modules/@svc/fingerprint/package.json'))).toBe(true)
  // A program, which an application does not need.
  expect(existsSync(join(application, 'node_modules/@svc/cli'))).toBe(false)
})
