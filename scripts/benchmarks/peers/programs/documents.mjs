/** pouchdb-server on LevelDB. */
import { answer } from './answer.mjs'

answer({
  async start({ port, folder }) {
    process.chdir(folder)
    const options = ['--port', String(port), '--host', '127.0.0.1', '--dir', folder, '--no-stdout-logs', '--no-color']
    process.argv.splice(2, Infinity, ...options)
    await import('pouchdb-server/bin/pouchdb-server')
    const url = `http://127.0.0.1:${port}`
    for (let tries = 0; ; tries++) {
      const response = await fetch(url).catch(() => null)
      if (response?.ok) break
      if (tries === 100) throw new Error('pouchdb-server did not start')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await fetch(`${url}/notes`, { method: 'PUT' })
  },
})
