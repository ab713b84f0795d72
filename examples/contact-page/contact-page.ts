// Publishes a signed page with a contact form, and reads the messages. See README.md.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { textOf } from '@svc/client/text'
import { createAuthor, openAuthor, register } from './author.ts'
import { readMessages } from './inbox.ts'
import { publish } from './publish.ts'
import { serve } from './serve.ts'

const USAGE = `Usage: contact-page.ts serve    signs and publishes the page, and serves it until Ctrl-C
       contact-page.ts read     prints the messages in the inbox, and marks them as read

  --core URL       core of the deployment (http://localhost:8787)
  --folder FOLDER  where the keys and the site are, or will be (play/contact-page)
  --text FILE      the text of the page; its first paragraph is the title (sample.txt beside this program)

The environment variable PAGE_PASSPHRASE encrypts the keys. PORT is that of the page (5173).`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    core: { type: 'string', default: process.env['CORE_URL'] ?? 'http://localhost:8787' },
    folder: { type: 'string', default: 'play/contact-page' },
    text: { type: 'string', default: join(import.meta.dirname, 'sample.txt') },
    help: { type: 'boolean', default: false },
  },
})
const { core, folder } = values
const port = Number(process.env['PORT'] ?? 5173)
const origin = `http://localhost:${port}`
const site = join(folder, 'site')

async function run(command: string): Promise<void> {
  const passphrase = process.env['PAGE_PASSPHRASE'] ?? ''
  if (passphrase === '') throw new Error('Set PAGE_PASSPHRASE: it encrypts the keys')
  const place = { core, origin, folder, passphrase }
  const author = await openAuthor(place)
  if (command === 'serve') {
    const writer = author ?? (await createAuthor(place))
    await register(writer)
    await publish(writer, textOf(await readFile(values.text)), `${origin}/`, site)
    await serve(site, port)
    console.log(`${origin}/ is by ${writer.identity.did}`)
    console.log(`Its files are in ${site}. Ctrl-C stops.`)
  } else {
    if (!author) throw new Error(`${folder} has no keys: use the command serve first`)
    let count = 0
    for await (const lines of readMessages(author.client)) {
      console.log(lines)
      count += 1
    }
    console.log(`Messages: ${count}`)
  }
}

const [command = '', ...rest] = positionals
const isKnown = ['serve', 'read'].includes(command) && rest.length === 0
if (values.help || !isKnown) {
  console.log(USAGE)
  process.exitCode = values.help ? 0 : 2
} else {
  try {
    await run(command)
  } catch (error) {
    // The SDK's errors say what does not hold; a stack helps nobody here.
    console.error(error instanceof Error ? `${error.name}: ${error.message}` : error)
    process.exitCode = 1
  }
}
