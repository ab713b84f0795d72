/**
 * Answers calls of the benchmark over the channel of a child process, one at a time.
 *
 * @param {Record<string, (argument: any) => unknown>} calls
 */
export function answer(calls) {
  let last = Promise.resolve()
  process.on('message', ({ id, name, argument }) => {
    last = last.then(async () => {
      try {
        process.send({ id, value: await calls[name](argument) })
      } catch (error) {
        process.send({ id, error: String(error?.stack ?? error) })
      }
    })
  })
  process.on('disconnect', () => process.exit())
  process.send({ ready: true })
}
