import { parseArgs } from 'node:util'
import { modelFiles, runtimeFiles } from './lib/provision-files.ts'
import { firstSentence, resolveFromCaller, SetupError } from './lib/workspace.ts'
import { apiOf, committedConfigs } from './operations/account.ts'
import { deploymentNames, readDeployment } from './operations/deployment.ts'
import { changeInternalSecret, describeProvisioning, finishInternalChange, provision } from './operations/provision.ts'
import { defaultSecretsPath, SecretsFile } from './operations/secrets.ts'

const HELP = `Usage: scripts/provision ENVIRONMENT [options]

Makes what the Workers of an environment (${deploymentNames().join(', ')}) bind to, writes the ids into
deployments/ENVIRONMENT.json, puts what provenance serves into its bucket, and makes their secrets. Whatever is there
stays as it is.
Needs CLOUDFLARE_API_TOKEN, and CLOUDFLARE_ACCOUNT_ID where the file names no account.

  --models DIR                models that provenance is to serve, each file one; none without it. The runtime that
                              they need comes with the platform
  --dry-run                   say what would be done; asks nobody, needs no credential
  --secrets FILE              where the secrets are kept (default deployments/.secrets/ENVIRONMENT.json)
  --change-internal-secret    give every Worker another SVC_INTERNAL_SECRET, the one in force beside it
  --finish-change             take the one before away; a day after the change
  --settle SECONDS            between two Workers of a change (default 30)
  --help                      show this`

try {
  await run()
} catch (error) {
  console.error(
    error instanceof SetupError
      ? error.message
      : `${firstSentence(error)}; scripts/provision --help lists the options.`,
  )
  process.exitCode = 1
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      secrets: { type: 'string' },
      models: { type: 'string' },
      'change-internal-secret': { type: 'boolean', default: false },
      'finish-change': { type: 'boolean', default: false },
      settle: { type: 'string', default: '30' },
      help: { type: 'boolean', default: false },
    },
  })
  const [name, ...more] = positionals
  if (values.help || name === undefined || more.length > 0) {
    console.log(HELP)
    process.exitCode = values.help ? 0 : 2
    return
  }
  if (!/^\d{1,4}$/.test(values.settle)) throw new Error('--settle takes seconds')
  const deployment = readDeployment(name)
  const secrets = SecretsFile.read(
    values.secrets === undefined ? defaultSecretsPath(name) : resolveFromCaller(values.secrets),
  )
  const models = values.models === undefined ? [] : [modelFiles(resolveFromCaller(values.models))]
  const provisioning = {
    deployment,
    configs: committedConfigs(),
    secrets,
    fileSets: [runtimeFiles(), ...models],
    print: (line: string) => console.log(line),
  }
  if (values['dry-run']) {
    describeProvisioning(provisioning)
    return
  }
  const api = apiOf(deployment)
  if (values['change-internal-secret']) {
    const settle = () => new Promise<void>((resolve) => setTimeout(resolve, Number(values.settle) * 1000))
    await changeInternalSecret({ ...provisioning, settle }, api)
    console.log('A day from now: scripts/provision --finish-change.')
  } else if (values['finish-change']) await finishInternalChange(provisioning, api)
  else await provision(provisioning, api)
}
