import { join } from 'node:path'
import { runEntry, UsageError } from '@svc/platform/entry'
import { DEFAULT_STATE_DIR, resolveFromCaller } from '@svc/platform/workspace'
import { apiOf, committedConfigs, committedConsole } from '../account.ts'
import { compareBundles, deploy, deployDryly } from '../deploy.ts'
import { deploymentNames, environmentOf, readDeployment } from '../deployment.ts'
import { checkDeployed } from '../releases/release-check.ts'
import { describeRollBack, rollBack } from '../roll-back.ts'
import { defaultSecretsPath, SecretsFile } from '../secrets.ts'
import { commitOf } from '../uploads/commit.ts'

const HELP = `Usage: scripts/deploy ENVIRONMENT [options]

Deploys the commit that is checked out to an environment (${deploymentNames().join(', ')}): applies the migrations, then uploads the
eight Workers, each after the Workers it calls, and the console if the environment has one. The new versions get 5, 50 and
100 % of the traffic. At each step a new identity writes and verifies; if that fails, all Workers go back.
Needs CLOUDFLARE_API_TOKEN, and CLOUDFLARE_ACCOUNT_ID if the environment's file names no account.

  --at-once         give the new versions all traffic with their upload, without a synthetic identity; a first deployment
                    always does
  --dry-run         bundle everything and print the order; makes no request and needs no credential
  --check           bundle everything, compare it with the code that Cloudflare has, and exit with 1 if a Worker differs
  --secrets FILE    secrets for Workers that have none yet (default deployments/.secrets/ENVIRONMENT.json)
  --roll-back TAG   redeploy the upload with this tag: the first 12 characters of a commit, and "-changed" if files
                    differed from it. Rolls back all Workers or none; leaves data and migrations as they are
  --allow-dirty     deploy files that differ from the commit; the tag then ends in "-changed"
  --help            show this`

await runEntry({
  name: 'scripts/deploy',
  help: HELP,
  operands: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    secrets: { type: 'string' },
    'roll-back': { type: 'string' },
    'allow-dirty': { type: 'boolean', default: false },
    'at-once': { type: 'boolean', default: false },
  },
  async run({ values, positionals }) {
    const name = environmentOf(positionals)
    const isDry = values['dry-run']
    const tag = values['roll-back']
    if (tag !== undefined && !/^[0-9a-f]{12}(-changed)?$/.test(tag))
      throw new UsageError('--roll-back takes a tag, the first 12 hex characters of a commit')
    const deployment = readDeployment(name)
    const common = {
      deployment,
      configs: committedConfigs(),
      consoleConfig: committedConsole(),
      print: (line: string) => console.log(line),
    }
    if (tag !== undefined) {
      if (isDry) describeRollBack(common, tag)
      else await rollBack(common, tag, apiOf(deployment))
      return 0
    }
    const secrets = SecretsFile.read(
      values.secrets === undefined ? defaultSecretsPath(name) : resolveFromCaller(values.secrets),
    )
    const sha = commitOf(isDry || values.check || values['allow-dirty'])
    const deploying = { ...common, secrets, sha, folder: join(DEFAULT_STATE_DIR, 'deploy', name) }
    if (values.check) return (await compareBundles(deploying, apiOf(deployment))).length === 0 ? 0 : 1
    if (isDry) await deployDryly(deploying)
    else await deploy(deploying, apiOf(deployment), values['at-once'] ? null : checkDeployed)
    return 0
  },
})
