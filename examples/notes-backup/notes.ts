// Backs up the notes of an identity, and imports Markdown files as notes. See README.md.
import { parseArgs } from 'node:util'
import { BackupError, backUp, restoreBackup, verifyBackup } from './backup.ts'
import { importFolder } from './import-folder.ts'
import { openVault } from './vault.ts'

const USAGE = `Usage: notes.ts import FOLDER     makes a note of each Markdown file; again, of each changed one
       notes.ts backup FOLDER     writes all notes, encrypted, to a new folder
       notes.ts verify FOLDER     checks the files of a backup; needs no service
       notes.ts restore FOLDER    sends what the vault lacks

  --core URL     core of the deployment (http://localhost:8787)
  --keys FOLDER  where the keys are, or will be (play/notes)

The environment variable NOTES_PASSPHRASE encrypts the keys.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    core: { type: 'string', default: process.env['CORE_URL'] ?? 'http://localhost:8787' },
    keys: { type: 'string', default: 'play/notes' },
    help: { type: 'boolean', default: false },
  },
})

async function run(command: string, folder: string): Promise<string> {
  if (command === 'verify') {
    const { createdAt, files } = await verifyBackup(folder)
    return `${Object.keys(files).length} files are as they were written at ${createdAt}`
  }
  if (command === 'restore') await verifyBackup(folder)
  const passphrase = process.env['NOTES_PASSPHRASE'] ?? ''
  if (passphrase === '') throw new BackupError('Set NOTES_PASSPHRASE: it encrypts the keys')
  const { client, did } = await openVault(values.core, values.keys, passphrase)
  switch (command) {
    case 'import': {
      const { added, changed, unchanged, failed } = await importFolder(client, did, folder)
      if (failed.length > 0) throw new BackupError(`Not imported:\n${failed.join('\n')}`)
      return `${added} added, ${changed} changed, ${unchanged} unchanged`
    }
    case 'backup': {
      const { files } = await backUp(client, did, folder, new Date())
      return `${Object.keys(files).length} files in ${folder}, verified. Keep ${values.keys}/keys.json elsewhere`
    }
    default: {
      const { restored, present, merged } = await restoreBackup(client, folder)
      return `${restored} versions sent, ${present} already there, ${merged.length} notes merged`
    }
  }
}

const [command = '', folder = '', ...rest] = positionals
const isKnown = ['import', 'backup', 'verify', 'restore'].includes(command) && folder !== '' && rest.length === 0
if (values.help || !isKnown) {
  console.log(USAGE)
  process.exitCode = values.help ? 0 : 2
} else {
  try {
    console.log(await run(command, folder))
  } catch (error) {
    // The SDK's errors say what does not hold; a stack helps nobody here.
    console.error(error instanceof Error ? `${error.name}: ${error.message}` : error)
    process.exitCode = 1
  }
}
