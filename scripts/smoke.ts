import { parseArgs, styleText } from 'node:util'
import { firstSentence } from './lib/workspace.ts'
import { readDeployment } from './operations/deployment.ts'
import { smoke } from './operations/smoke.ts'

const HELP = `Usage: scripts/smoke URL... [options]

Looks at services from outside, each at its URL, in any order. Reads alone; needs no credential.

  --deployment ENVIRONMENT    the eight services of deployments/ENVIRONMENT.json
  --sha COMMIT                the build that they must report
  --help                      show this`

try {
  await run()
} catch (error) {
  console.error(`${firstSentence(error)}; scripts/smoke --help lists the options.`)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const options = {
    deployment: { type: 'string' },
    sha: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const
  const { values, positionals } = parseArgs({ allowPositionals: true, options })
  const urls = [...positionals, ...(values.deployment === undefined ? [] : canonicalUrls(values.deployment))]
  if (values.help || urls.length === 0) {
    console.log(HELP)
    process.exitCode = values.help ? 0 : 2
    return
  }
  let failed = 0
  for (const url of urls) {
    const { service, checks } = await smoke(url, { sha: values.sha })
    console.log(styleText('bold', `${service}  ${url}`))
    for (const { name, fault } of checks)
      console.log(`  ${fault === null ? 'ok  ' : 'FAIL'} ${name}${fault === null ? '' : `: ${fault}`}`)
    failed += checks.filter(({ fault }) => fault !== null).length
  }
  if (failed > 0) process.exitCode = 1
}

function canonicalUrls(deployment: string): string[] {
  return Object.values(readDeployment(deployment).hosts).map(([host = '']) => `https://${host}`)
}
