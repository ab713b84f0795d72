import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { runEntry } from '@svc/platform/entry'
import { DEFAULT_STATE_DIR, resolveFromCaller, SetupError } from '@svc/platform/workspace'
import { sdkReference } from '@svc/site/sdk-reference'
import { buildPackages } from './packaging/build.ts'
import { PUBLISHING } from './packaging/publishing.ts'

const DEFAULT_FOLDER = join(DEFAULT_STATE_DIR, 'packages')

const HELP = `Usage: scripts/package [options]

Builds the tarballs of the published packages, and their reference as HTML. It publishes nothing: upload the tarballs
with npm publish. To check them first, run scripts/test --only package.

  --out DIR          output folder, emptied first (default .state/packages)
  --repository URL   refuses to build for another repository than scripts/release/publishing.json names
  --help             show this`

await runEntry({
  name: 'scripts/package',
  help: HELP,
  options: { out: { type: 'string' }, repository: { type: 'string' } },
  async run({ values }) {
    const { repository } = PUBLISHING
    if (values.repository !== undefined && values.repository !== repository)
      throw new SetupError(
        `scripts/release/publishing.json names ${repository}: set it to ${values.repository}, where provenance is from`,
      )
    const folder = values.out === undefined ? DEFAULT_FOLDER : resolveFromCaller(values.out)
    for (const { name, version, tarball } of await buildPackages(folder)) console.log(`${name} ${version}  ${tarball}`)
    const docs = join(folder, 'api-docs')
    cpSync(await sdkReference(), docs, { recursive: true })
    console.log(`reference  ${join(docs, 'index.html')}`)
  },
})
