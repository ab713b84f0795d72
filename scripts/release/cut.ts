import { execFileSync } from 'node:child_process'
import { runEntry } from '@svc/platform/entry'
import { ROOT } from '@svc/platform/workspace'
import { cutRelease } from './previous-release.ts'

const HELP = `Usage: node scripts/release/cut.ts

Writes scripts/release/previous: the Workers of the commit that is checked out, as the release that later ones must get
along with. Run it for the commit that you deploy to production, and commit the folder.

  --help   show this`

await runEntry({
  name: 'scripts/release/cut.ts',
  help: HELP,
  options: {},
  async run() {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim()
    const { bytes } = await cutRelease(commit)
    console.log(`Cut ${commit.slice(0, 12)}: ${Math.round(bytes / 1024)} KiB of bundles`)
  },
})
