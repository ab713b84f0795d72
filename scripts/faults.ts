import { parseArgs } from 'node:util'
import { runFaults } from './traffic/faults.ts'

const HELP = `Usage: scripts/faults [options]

Kills the local platform at random moments of a mixed load, starts it again on the same state, and proves that every
acknowledged write is there, that none is there in half, and that every spent assertion is refused.

  --kills N   how often (default 25)
  --seed N    of the load and the moments (default: another each time; it is printed)
  --help      show this`

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '25' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(HELP)
else process.exitCode = await run()

async function run(): Promise<number> {
  const [kills, seed] = [Number(values.kills), Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))]
  if (!(Number.isInteger(kills) && kills > 0 && Number.isInteger(seed))) {
    console.error('--kills takes a number from 1 on, --seed a whole number; scripts/faults --help lists the options.')
    return 2
  }
  console.log(`seed ${seed}`)
  const { faults, acknowledged, unheard, taken, replayed } = await runFaults({ kills, seed, onStep: console.log })
  for (const fault of faults) console.log(fault)
  console.log(
    `seed ${seed}, at most ${kills} kills: ${acknowledged} writes acknowledged, ${unheard} unheard of, ${taken} of these taken, ${replayed} assertions shown again: ${faults.length} faults`,
  )
  return faults.length > 0 ? 1 : 0
}
