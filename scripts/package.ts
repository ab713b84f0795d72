import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DEFAULT_STATE_DIR, firstSentence, resolveFromCaller } from './lib/workspace.ts'
import { writeApiDocs } from './packaging/api-docs.ts'
import { buildPackages } from './packaging/build.ts'

const DEFAULT_FOLDER = join(DEFAULT_STATE_DIR, 'packages')

const HELP = `Usage: scripts/package [options]

Builds the packages that are published, as tarballs, and their API docs as HTML. Publishes nothing:
npm publish takes the tarballs. scripts/test --only package says whether they are in order.

  --out DIR     where to, emptied first (default .state/packages)
  --help        show this`

try {
  const { values } = parseArgs({ options: { out: { type: 'string' }, help: { type: 'boolean', default: false } } })
  if (values.help) console.log(HELP)
  else await run(values.out === undefined ? DEFAULT_FOLDER : resolveFromCaller(values.out))
} catch (error) {
  console.error(`${firstSentence(error)}; scripts/package --help lists the options.`)
  process.exitCode = 1
}

async function run(folder: string): Promise<void> {
  for (const { name, version, tarball } of await buildPackages(folder)) console.log(`${name} ${version}  ${tarball}`)
  const docs = join(folder, 'api-docs')
  await writeApiDocs(docs)
  console.log(`API docs  ${join(docs, 'index.html')}`)
}
