import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SetupError } from '../setup/setup-error.mjs';
import { baseOf, changedSince, isWholeTree, turnOf } from './change.mjs';

let folder;
let upstream;
const git = (cwd, ...args) => {
  const identity = [
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.org',
    '-c',
    'commit.gpgsign=false',
  ];
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
};
const clone = (name, ...options) => {
  git(folder, 'clone', '--quiet', ...options, `file://${upstream}`, name);
  return join(folder, name);
};

before(() => {
  // Set where the caller of these tests has a base of its own.
  delete process.env.CHECK_BASE;
  folder = mkdtempSync(join(tmpdir(), 'svc-change-'));
  upstream = join(folder, 'upstream');
  mkdirSync(upstream);
  git(upstream, 'init', '--quiet', '--initial-branch=main');
  for (let i = 1; i <= 55; i++) {
    writeFileSync(join(upstream, `file-${i}`), `${i}`);
    git(upstream, 'add', '.');
    git(upstream, 'commit', '--quiet', '-m', `change ${i}`);
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the base of a change', () => {
  it('is the fiftieth commit before where main is what is checked out', () => {
    const here = clone('same');
    assert.equal(baseOf(here), git(here, 'rev-parse', 'HEAD~50'));
    assert.equal(changedSince(here, baseOf(here)).files.length, 50);
  });

  it('is where the work left origin/main', () => {
    const here = clone('ahead');
    const main = git(here, 'rev-parse', 'origin/main');
    writeFileSync(join(here, 'mine'), 'x');
    git(here, 'add', '.');
    git(here, 'commit', '--quiet', '-m', 'mine');
    assert.equal(baseOf(here), main);
    assert.deepEqual(changedSince(here, baseOf(here)), { files: ['mine'], gone: [] });
  });

  it('is the commit that is asked for, and a sentence where there is none', () => {
    const here = clone('asked');
    assert.equal(baseOf(here, 'HEAD~2'), git(here, 'rev-parse', 'HEAD~2'));
    assert.throws(
      () => baseOf(here, 'nowhere'),
      error => error instanceof SetupError && /There is no commit nowhere/.test(error.message),
    );
  });

  it('is as far back as a shallow clone reaches', () => {
    const here = clone('shallow', '--depth', '3');
    assert.equal(baseOf(here), git(here, 'rev-parse', 'HEAD~2'));
  });

  it('is the fiftieth commit before where origin/main is ahead of what is checked out', () => {
    const here = clone('behind');
    git(here, 'reset', '--quiet', '--hard', 'HEAD~2');
    assert.equal(baseOf(here), git(here, 'rev-parse', 'HEAD~50'));
    assert.equal(changedSince(here, baseOf(here)).files.length, 50);
  });

  it('is nothing where the clone holds one commit: every file counts as changed', () => {
    const here = clone('single', '--depth', '1');
    assert.equal(isWholeTree(here, baseOf(here)), true);
    assert.equal(changedSince(here, baseOf(here)).files.length, 55);
    assert.equal(isWholeTree(here, 'HEAD'), false);
  });
});

describe('the turn of a landing', () => {
  it('is the number of commits', () => {
    assert.equal(turnOf(clone('counted')), 55);
  });

  it('is another for another commit in a shallow clone too, and the same for the same', () => {
    const turn = (name, branch) => turnOf(clone(name, '--depth', '3', '--branch', branch));
    git(upstream, 'branch', 'before', 'HEAD~1');
    const [now, again, before] = [turn('now', 'main'), turn('again', 'main'), turn('before', 'before')];
    assert.ok(Number.isSafeInteger(now));
    assert.equal(now, again);
    assert.notEqual(now, before);
  });
});

describe('a change', () => {
  it('holds what is committed, edited, new and gone', () => {
    const here = clone('edited');
    writeFileSync(join(here, 'file-3'), 'other');
    writeFileSync(join(here, 'new file'), 'x');
    rmSync(join(here, 'file-4'));
    assert.deepEqual(changedSince(here, baseOf(here, 'HEAD')), {
      files: ['file-3', 'new file'],
      gone: ['file-4'],
    });
  });

  it('holds a file that was moved where it was and where it is', () => {
    const here = clone('moved');
    renameSync(join(here, 'file-3'), join(here, 'moved'));
    git(here, 'add', '--all');
    assert.deepEqual(changedSince(here, baseOf(here, 'HEAD')), { files: ['moved'], gone: ['file-3'] });
  });
});
