import { runEntry, wholeNumber } from '@svc/platform/entry'
import { runFaults } from './traffic/faults.ts'

const HELP = `Usage: scripts/faults [options]

Kills the local platform at random moments of a mixed load, while a log is rolled or a bucket of consent moves, restarts it on the same state, and proves that every
acknowledged write is complete, that no write is there in part, and that every spent assertion is refused.

  --kills N   how many times to kill it (default 25)
  --seed N    chooses the load and the moments (default: random; printed at the start)
  --help      show this`

await runEntry({
  name: 'scripts/faults',
  help: HELP,
  options: { kills: { type: 'string', default: '25' }, seed: { type: 'string' } },
  async run({ values }) {
    const kills = wholeNumber('--kills', values.kills, { from: 1 })
    const seed = wholeNumber('--seed', values.seed ?? String(Math.floor(Math.random() * 2 ** 31)))
    console.log(`seed ${seed}`)
    const { faults, acknowledged, unheard, taken, replayed, upheavals } = await runFaults({
      kills,
      seed,
      onStep: console.log,
    })
    for (const fault of faults) console.log(fault)
    console.log(
      `seed ${seed}, up to ${kills} kills: ${acknowledged} writes acknowledged, ${unheard} unanswered, ${taken} of these applied, ${replayed} assertions replayed, ${upheavals}: ${faults.length} faults`,
    )
    return faults.length > 0 ? 1 : 0
  },
})
