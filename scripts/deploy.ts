import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DEFAULT_STATE_DIR, firstSentence, resolveFromCaller, SetupError } from './lib/workspace.ts'
import { apiOf, committedConfigs } from './operations/account.ts'
import { commitOf, deploy, deployDryly } from './operations/deploy.ts'
import { deploymentNames, readDeployment } from './operations/deployment.ts'
import { describeRollBack, rollBack } from './operations/roll-back.ts'
import { defaultSecretsPath, SecretsFile } from './operations/secrets.ts'

const HELP = `Usage: scripts/deploy ENVIRONMENT [options]

Applies the migrations of an environment (${deploymentNames().join(', ')}), then uploads the eight Workers, each after those
that it binds to, as the commit that is checked out.
Needs CLOUDFLARE_API_TOKEN, and CLOUDFLARE_ACCOUNT_ID where the file names no account.

  --dry-run         bundle all eight and say the order; asks nobody, needs no credential
  --secrets FILE    secrets for Workers that have none yet (default deployments/.secrets/ENVIRONMENT.json)
  --roll-back TAG   deploy again what was uploaded with this tag, the first 12 characters of a commit (and "-changed"
                    where files differed from it); all Workers or none. Data and migrations stay as they are
  --allow-dirty     deploy files that differ from the commit; its name then ends in "-changed"
  --help            show this`

try {
  await run()
} catch (error) {
  console.error(
    error instanceof SetupError ? error.message : `${firstSentence(error)}; scripts/deploy --help lists the options.`,
  )
  process.exitCode = 1
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      secrets: { type: 'string' },
      'roll-back': { type: 'string' },
      'allow-dirty': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [name, ...more] = positionals
  if (values.help || name === undefined || more.length > 0) {
    console.log(HELP)
    process.exitCode = values.help ? 0 : 2
    return
  }
  const isDry = values['dry-run']
  const deployment = readDeployment(name)
  const common = { deployment, configs: committedConfigs(), print: (line: string) => console.log(line) }
  if (values['roll-back'] !== undefined) {
    if (!/^[0-9a-f]{12}(-changed)?$/.test(values['roll-back']))
      throw new Error('--roll-back takes a tag, 12 hex characters of a commit')
    if (isDry) describeRollBack(common, values['roll-back'])
    else await rollBack(common, values['roll-back'], apiOf(deployment))
    return
  }
  const secrets = SecretsFile.read(
    values.secrets === undefined ? defaultSecretsPath(name) : resolveFromCaller(values.secrets),
  )
  const sha = commitOf(isDry || values['allow-dirty'])
  const deploying = { ...common, secrets, sha, folder: join(DEFAULT_STATE_DIR, 'deploy', name) }
  if (isDry) await deployDryly(deploying)
  else await deploy(deploying, apiOf(deployment))
}
