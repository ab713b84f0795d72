/** A program that runs several commands, one after the other, and prints how each ended. Its argument is JSON: their words. */
import { processEnvironment } from '../src/process-environment.ts'
import { run } from '../src/run.ts'

const ended = []
for (const words of JSON.parse(process.argv[2] ?? '[]') as readonly (readonly string[])[]) {
  const [stdout, stderr]: [string[], string[]] = [[], []]
  const status = await run(words, {
    ...processEnvironment(),
    stdout: (text) => void stdout.push(typeof text === 'string' ? text : new TextDecoder().decode(text)),
    stderr: (text) => void stderr.push(text),
  })
  ended.push({ status, stdout: stdout.join(''), stderr: stderr.join('') })
}
process.stdout.write(JSON.stringify(ended))
