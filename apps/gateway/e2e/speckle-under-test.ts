import { Controller } from '@nestjs/common';
import {
  type ExtractPufReply,
  type ParsedRequestOf,
  speckleContract,
  type VerifySlabReply,
} from '@svc/contracts';
import { Handle } from '@svc/platform';

type Contract = typeof speckleContract;

/** What the department does to one picture after another. */
export interface SpeckleScript {
  /** Problems that admission refuses with, one after another. */
  admitFaults: Error[];
  /** What admission says that a picture takes. */
  workUnits: number;
  readonly admitted: (ParsedRequestOf<Contract['admitExtract']> | ParsedRequestOf<Contract['admitVerify']>)[];
  readonly extracted: ParsedRequestOf<Contract['extract']>[];
  readonly verified: ParsedRequestOf<Contract['verify']>[];
}

export const EXTRACTED: ExtractPufReply = {
  ...{ fingerprintHex: '0xa5', maskHex: '0xff', bits: 8, usableBits: 8 },
  quality: { contrast: 0.9, speckleSizePx: 5.5, saturatedPct: 0.1, regularity: 0.12 },
};
export const VERIFIED: VerifySlabReply = {
  ...{
    verdict: 'match',
    fhd: 0.05,
    usableBits: 8,
    threshold: 0.38,
    dof: 1_500,
    falseMatchProbability: 1e-12,
  },
  ...{ alignment: { shiftXPx: 1, shiftYPx: 2, rotationDeg: 0.5 }, keyReproduced: true },
  ...{ pufId: `puf_${'p'.repeat(22)}`, enrolledAt: '2026-04-02T00:00:00.000Z' },
};

/** A department that does what its script says. */
export function scriptedSpeckle() {
  const script: SpeckleScript = {
    ...{ admitFaults: [], admitted: [], extracted: [], verified: [] },
    workUnits: 0,
  };
  const admit = (call: SpeckleScript['admitted'][number]) => {
    script.admitted.push(call);
    const fault = script.admitFaults.shift();
    if (fault) throw fault;
    return { workUnits: script.workUnits };
  };
  @Controller()
  class SpeckleUnderTest {
    @Handle(speckleContract.admitExtract)
    admitExtract(call: ParsedRequestOf<Contract['admitExtract']>) {
      return admit(call);
    }

    @Handle(speckleContract.extract)
    extract(call: ParsedRequestOf<Contract['extract']>): ExtractPufReply {
      script.extracted.push(call);
      return EXTRACTED;
    }

    @Handle(speckleContract.admitVerify)
    admitVerify(call: ParsedRequestOf<Contract['admitVerify']>) {
      return admit(call);
    }

    @Handle(speckleContract.verify)
    verify(call: ParsedRequestOf<Contract['verify']>): VerifySlabReply {
      script.verified.push(call);
      return VERIFIED;
    }
  }
  return { script, controllers: [SpeckleUnderTest] };
}
