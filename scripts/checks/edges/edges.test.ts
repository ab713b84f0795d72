import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'
import { sourceFiles } from '../source-files.ts'
import { edgeFaults } from './edges.ts'

it('nothing crosses the edge to a file, a password or a terminal by itself', () => {
  const faults = sourceFiles().flatMap((file) => edgeFaults(file, readFileSync(join(ROOT, file), 'utf8')))
  expect(faults).toEqual([])
})

describe('a fault is', () => {
  it.each([
    ['packages/cli/src/note/notes.ts', 'const body = new TextDecoder().decode(bytes)'],
    ['packages/client/src/node/key-file.ts', "return await readFile(this.#path, 'utf8')"],
    ['examples/notes-backup/backup.ts', "const text = readFileSync(path, { encoding: 'utf-8' })"],
    ['packages/console/src/backup/backup-file.ts', 'const json = JSON.parse(await file.text())'],
    ['packages/cli/src/process-environment.ts', "return Buffer.from(bytes).toString('utf8')"],
    ['packages/console/src/shell/new-passphrase.tsx', 'await onChosen(passphrase as Secret)'],
    ['packages/client/src/backup/export.ts', "const passphrase = typed.normalize('NFC')"],
    ['packages/console/src/sign-in/acts.ts', "import { client } from '@serenity-kit/opaque'"],
    ['packages/cli/src/inbox/reply-key.ts', 'encrypter.setPassphrase(passphrase)'],
    ['packages/cli/src/inbox/inbox.ts', 'process.stdout.write(message)'],
    ['packages/cli/src/anchor/stamp.ts', 'console.log(line)'],
    ['scripts/operations/commands/admin.ts', 'console.log(JSON.stringify(await response.json()))'],
    ['workers/provenance/src/text/registrant-list.ts', 'WHERE registrant = ?1 AND asset_id > ?2'],
    ['workers/auth/src/opaque/store.ts', "prepare('SELECT 1 FROM opaque_records WHERE identifier_hash = ?')"],
    ['workers/core/src/contact/secrets.ts', 'const name = await this.#macs.newest(address)'],
    ['workers/provenance/src/quota/unit-names.ts', `const key = \`\${version}.\${encodeBase64url(mac)}\``],
    ['packages/cli/src/signin/secret.ts', 'const key = scryptSync(password, salt, 32)'],
  ])('in %s: %s', (file, line) => {
    expect(edgeFaults(file, `first\n${line}\n`)).toEqual([expect.stringContaining(`${file}:2: `)])
  })

  it('nothing in a test, in the one function, or in another package', () => {
    const line = 'const text = new TextDecoder().decode(bytes)'
    for (const file of ['packages/cli/src/a.test.ts', 'packages/client/src/text/utf8.ts', 'workers/core/src/app.ts'])
      expect(edgeFaults(file, line)).toEqual([])
  })
})
