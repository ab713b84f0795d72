import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runEntry } from '@svc/platform/entry'
import { readPortBase } from '@svc/platform/ports'
import { ROOT } from '@svc/platform/workspace'
import { type Counts, costPerMillion } from '@svc/site/costs/prices'
import { changesOf } from './compare.ts'
import { measureCounts } from './measure.ts'
import { OPERATIONS } from './operations.ts'

const FILE = join(ROOT, 'scripts/site/costs/counts.json')

const HELP = `Usage: scripts/costs [options]

Counts what the operations of the page about cost use in the local runtime, and compares it with
scripts/site/costs/counts.json. Fails if an operation uses more, or costs more than its limit.

  --record        write what was counted instead
  --port-base N   first of thirteen consecutive ports (default 9600)
  --help          show this`

await runEntry({
  name: 'scripts/costs',
  help: HELP,
  options: {
    record: { type: 'boolean', default: false },
    'port-base': { type: 'string', default: '9600' },
  },
  async run({ values }) {
    const measured = await measureCounts(readPortBase(values['port-base']), (line) =>
      console.error(`counting ${line} …`),
    )
    for (const [name, counts] of measured) console.log(`${costPerMillion(counts).toFixed(2).padStart(7)}  ${name}`)
    const dear = OPERATIONS.flatMap(({ name, limit = Number.POSITIVE_INFINITY }) => {
      const cost = costPerMillion(measured.get(name) ?? {})
      return cost > limit ? [`${name}: ${cost.toFixed(2)} dollars per million, and at most ${limit} are allowed`] : []
    })
    if (values.record) writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(measured), null, 2)}\n`)
    const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Counts>
    const changes = changesOf(recorded, measured)
    for (const line of [...dear, ...changes.map((change) => change.line)]) console.error(line)
    if (changes.length > 0) console.error('If that is meant, run scripts/costs --record and scripts/site/pages.ts')
    return dear.length === 0 && changes.length === 0 ? 0 : 1
  },
})
