import { DATABASE_HELP, DATABASE_OPTIONS, databaseCommand } from '@svc/operations/database-commands'
import { runEntry, UsageError, wholeNumber } from '@svc/platform/entry'
import { runDrill } from './restore/drill.ts'
import { ALL, SMALL } from './restore/losses.ts'
import { faultsIn, tableOf } from './restore/table.ts'

const HELP = `Usage: scripts/operate restore-drill [--small] [--rows LIST] [--seed N]
       scripts/operate export-databases ENVIRONMENT|--local [options]
       scripts/operate import-databases ENVIRONMENT|--local --lost WHEN --identity FILE [options]
       scripts/operate seed-versions ENVIRONMENT|--local
       scripts/operate new-export-key FILE

restore-drill loads a local platform with clients that remember what was acknowledged to them, takes one store after the
other away, restores as an operator would, and asks every client for everything. It prints what was lost, what it was
restored from and what is missing, and ends with 1 if anything is. It uses ports and a state folder of its own.

export-databases writes the D1 databases of an environment, encrypted, into a bucket that no Worker has, and
import-databases fills them again. Both can be repeated. They need CLOUDFLARE_API_TOKEN, and CLOUDFLARE_ACCOUNT_ID if the
environment's file names no account. new-export-key makes the key that opens exports, and prints the recipient for
exportRecipients in the file of the environment.

seed-versions counts what each version of OPAQUE_SERVER_SEED and of CLAIMANTS_SEED still names in the databases, so that you
see when an earlier one can be dropped.

Options of restore-drill:
  --small          few stores are lost, once, with little load
  --rows LIST      only losses whose name has one of these texts, like 'D1 of,bucket'
  --seed N         chooses the load (default: random; printed at the start)
${DATABASE_HELP}
  --help           show this`

await runEntry({
  name: 'scripts/operate',
  help: HELP,
  operands: true,
  options: {
    small: { type: 'boolean', default: false },
    rows: { type: 'string' },
    seed: { type: 'string' },
    ...DATABASE_OPTIONS,
  },
  async run({ values, positionals }) {
    const [name, ...rest] = positionals
    const command = databaseCommand(name, rest, values, Date.now())
    if (command) return command
    if (name !== 'restore-drill' || rest.length > 0)
      throw new UsageError('Name restore-drill, export-databases, import-databases, seed-versions or new-export-key')
    const seed = wholeNumber('--seed', values.seed ?? String(Math.floor(Math.random() * 2 ** 31)))
    console.log(`seed ${seed}`)
    const size = values.small
      ? { losses: SMALL, isWhole: false, identities: 2, requests: 60 }
      : {
          losses: ALL.filter(({ lost }) => (values.rows ?? '').split(',').some((text) => lost.includes(text))),
          isWhole: true,
          identities: 3,
          requests: 120,
        }
    if (size.losses.length === 0) throw new UsageError('--rows names none of the losses')
    const rows = await runDrill({ ...size, seed, onStep: console.log })
    const faults = faultsIn(rows)
    for (const fault of faults) console.log(fault)
    const [{ acknowledged, replayed } = { acknowledged: 0, replayed: 0 }] = rows
    console.log(`\n${acknowledged} acknowledged writes and denials, ${replayed} spent assertions\n\n${tableOf(rows)}`)
    return faults.length > 0 ? 1 : 0
  },
})
