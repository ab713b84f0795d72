import { runEntry, UsageError, wholeNumber } from '@svc/platform/entry'
import { runDrill } from './restore/drill.ts'
import { ALL, SMALL } from './restore/losses.ts'
import { faultsIn, tableOf } from './restore/table.ts'

const HELP = `Usage: scripts/operate restore-drill [options]

Loads a local platform with clients that remember what was acknowledged to them, takes one store after the other away,
restores as an operator would, and asks every client for everything. Prints what was lost, what it was restored from and
what is missing, and ends with 1 if anything is. Uses ports and a state folder of its own.

  --small     everything of core but R2 is lost, once, with little load
  --seed N    chooses the load (default: random; printed at the start)
  --help      show this`

await runEntry({
  name: 'scripts/operate',
  help: HELP,
  operands: true,
  options: { small: { type: 'boolean', default: false }, seed: { type: 'string' } },
  async run({ values, positionals }) {
    const [drill, ...rest] = positionals
    if (drill !== 'restore-drill' || rest.length > 0) throw new UsageError('The only drill is restore-drill')
    const seed = wholeNumber('--seed', values.seed ?? String(Math.floor(Math.random() * 2 ** 31)))
    console.log(`seed ${seed}`)
    const size = values.small
      ? { losses: SMALL, identities: 2, requests: 60 }
      : { losses: ALL, identities: 3, requests: 120 }
    const rows = await runDrill({ ...size, seed, onStep: console.log })
    const faults = faultsIn(rows)
    for (const fault of faults) console.log(fault)
    console.log(`\n${tableOf(rows)}`)
    return faults.length > 0 ? 1 : 0
  },
})
